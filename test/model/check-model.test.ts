import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { AppError } from "../../src/core/errors.ts";
import { checkModel } from "../../src/model/check-model.ts";
import type { Env } from "../../src/model/credentials.ts";
import { tempDir } from "../support/temp-dir.ts";

function check(env: Env, model = "sonnet", cwd = "/"): readonly string[] {
  return checkModel({ model, env, cwd }).warnings;
}

function failure(env: Env, model = "sonnet", cwd = "/"): AppError {
  try {
    check(env, model, cwd);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("The check was expected to fail");
}

describe("without credentials", () => {
  test.each([{}, { ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: " \n" }, { ANTHROPIC_BASE_URL: "https://api.anthropic.com/" }])(
    "%j is refused as auth, naming three ways to go on",
    (env) => {
      const error = failure(env);
      expect(error.reason).toBe("auth");
      for (const way of ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "--model scripted:demo"]) expect(error.message).toContain(way);
    },
  );

  test.each(["http://127.0.0.1:8080", "https://models.example.com/anthropic/"])("the compatible server %s is enough", (url) => {
    expect(check({ ANTHROPIC_BASE_URL: url })).toEqual([]);
  });

  test("a script is enough", () => {
    expect(check({}, "scripted:demo")).toEqual([]);
  });
});

describe("credentials", () => {
  test.each([{ ANTHROPIC_API_KEY: "key\n" }, { ANTHROPIC_AUTH_TOKEN: "token" }])("%j is enough", (env) => {
    expect(check(env)).toEqual([]);
  });

  test("of both kinds leave one unused, which is said (V-291)", () => {
    expect(check({ ANTHROPIC_API_KEY: "key", ANTHROPIC_AUTH_TOKEN: "token" })).toEqual([
      "ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN are both set; only ANTHROPIC_API_KEY is sent",
    ]);
  });

  test("that no header can carry are refused without being shown", () => {
    const error = failure({ ANTHROPIC_API_KEY: "secret\nx-evil: 1" });
    expect(error.reason).toBe("auth");
    expect(error.message).not.toContain("secret");
  });
});

describe("the base URL", () => {
  test.each(["localhost:8080", "file:///etc/passwd", "not a url"])("%s is refused as usage", (url) => {
    const error = failure({ ANTHROPIC_BASE_URL: url });
    expect([error.reason, error.code]).toEqual(["usage", "invalid_base_url"]);
    expect(error.message).toContain(JSON.stringify(url));
  });

  test("with a password is refused without being shown (V-289)", () => {
    const error = failure({ ANTHROPIC_BASE_URL: "http://user:secret@localhost" });
    expect(error.reason).toBe("usage");
    expect(error.message).not.toContain("secret");
  });
});

describe("a script", () => {
  test("is looked for in the working directory", () => {
    using dir = tempDir();
    writeFileSync(`${dir.path}/script.json`, "{}");
    expect(check({}, "scripted:script.json", dir.path)).toEqual([]);
  });

  test("that is not there or no file is refused as usage, with its path", () => {
    using dir = tempDir();
    mkdirSync(`${dir.path}/folder`);
    for (const name of ["absent.json", "folder"]) {
      const error = failure({}, `scripted:${name}`, dir.path);
      expect(error.reason).toBe("usage");
      expect(error.message).toContain(`"${dir.path}/${name}"`);
    }
  });

  test.each(["scripted:", "", " "])("the name %j is refused as usage", (model) => {
    expect(failure({ ANTHROPIC_API_KEY: "key" }, model).code).toBe("invalid_model");
  });
});
