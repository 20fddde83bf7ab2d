import { expect, test } from "bun:test";
import { decidePermission } from "../../src/permissions/decide.ts";
import { isSearchPathFixed } from "../../src/permissions/search-path.ts";
import { commandAccess } from "../support/command-access.ts";
import { tempDir } from "../support/temp-dir.ts";

test.each([
  ["/usr/bin:/bin", true],
  ["/usr/bin", true],
  [":/usr/bin", false],
  ["/usr/bin:", false],
  ["/usr/bin::/bin", false],
  [".:/usr/bin", false],
  ["/usr/bin:node_modules/.bin", false],
  ["", false],
  [undefined, false],
])("of the search path %p it is known whether it leads into the working directory", (path, isFixed) => {
  expect(isSearchPathFixed(path)).toBe(isFixed);
});

test("a command that only reads is not free where its program may come from the working directory", async () => {
  using dir = tempDir();
  const request = {
    tool: "Bash",
    access: await commandAccess("ls"),
    isReadOnly: true,
    context: { mode: "default", rules: [], directories: [dir.path] },
    cwd: dir.path,
  } as const;
  expect(decidePermission(request).behavior).toBe("allow");
  expect(decidePermission({ ...request, isSearchPathFixed: false }).behavior).toBe("ask");
});
