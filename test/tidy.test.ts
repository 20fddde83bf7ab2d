import { describe, expect, test } from "bun:test";
import { basename, dirname } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { TASK_TYPES } from "../src/core/task.ts";
import { loadTaskKind } from "../src/tasks/registry.ts";
import { type Import, lineAt, readSources, type SourceFile } from "./support/source-tree.ts";

/** A file imports lower layers and its own folder. Folders of one number do not see each other. */
const LAYERS: Readonly<Record<string, number>> = {
  lib: 0,
  core: 1,
  platform: 2,
  store: 3,
  model: 3,
  permissions: 3,
  sandbox: 3,
  mcp: 3,
  hooks: 3,
  engine: 4,
  agent: 5,
  tasks: 6,
  tools: 7,
  runtime: 8,
  tui: 9,
  server: 9,
  cli: 10,
  "main.ts": 11,
};

const sources = readSources(["src"]);
const everything = readSources(["src", "test", "bench", "build", "build.ts", ".ci", "package.json", "README.md", "CHANGELOG.md"]);
const code = sources.filter(({ path }) => path.endsWith(".ts") && !path.endsWith(".d.ts"));

describe("imports", () => {
  test("every file stands in a layer", () => {
    expectNone(code.filter(({ path }) => layerOf(path) === undefined).map(({ path }) => `${path}:1: is in no layer`));
  });

  test("a file imports lower layers and its own folder only", () => {
    expectNone(eachImport(code, (file, { path }) => path !== undefined && !maySee(file.path, path) && `may not import ${path}`));
  });

  test("a task kind never imports another", () => {
    const kindOf = (path: string) => /^src\/tasks\/([^/]+)\//.exec(path)?.[1];
    const isForeign = (from: string, to: string) => kindOf(from) !== undefined && ![undefined, kindOf(from)].includes(kindOf(to)) && from !== "src/tasks/registry.ts";
    expectNone(eachImport(code, (file, { path }) => path !== undefined && isForeign(file.path, path) && `may not import ${path}`));
  });

  test("files do not import each other in a circle", () => {
    expectNone(circles(code));
  });

  test("only the registries use import()", () => {
    const isRegistry = (path: string) => path.endsWith("/registry.ts");
    expectNone(eachImport(code, (file, { isDynamic }) => isDynamic && !isRegistry(file.path) && "uses import() outside a registry"));
  });

  test("the compile-time flags are named in registries, and for showing", () => {
    const mayName = (path: string) => /^src\/(\w+\/registry|core\/build-info)\.ts$/.test(path);
    const others = code.filter(({ path }) => !mayName(path));
    expectNone(eachMatch(others, /\b(WORKFLOW_SCRIPTS|MONITOR_TOOL)\b/g, (name) => `names the flag ${name}`));
  });

  test("what is for tests alone is named in the two forms that leave other builds", () => {
    const others = code.filter(({ path }) => !path.startsWith("src/platform/test-hooks/"));
    expectNone(eachMatch(others, /^(?!\s*if \(TEST_HOOKS\) crashPoint\("[a-z-]+"\);$|\s*return TEST_HOOKS \? ).*\b(TEST_HOOKS|crashPoint\()\b.*$/gm, (line) => `hides a test hook: ${line.trim()}`));
  });

  test("the SDK has one importer", () => {
    const isOutside = (path: string, specifier: string) => specifier.startsWith("@anthropic-ai/sdk") && path !== "src/model/anthropic.ts";
    expectNone(eachImport(code, (file, { specifier }) => isOutside(file.path, specifier) && `imports ${specifier}`));
  });

  test("every package that is imported is a dependency, and the other way round", () => {
    const dependencies = Object.keys(packageJson.dependencies);
    const used = new Set<string>();
    const undeclared = eachImport(code, (_file, { specifier, path }) => {
      if (path !== undefined || /^(node|bun):|^bun$/.test(specifier)) return false;
      const name = packageOf(specifier);
      used.add(name);
      return !dependencies.includes(name) && `imports ${name}, which is not in package.json`;
    });
    const unused = dependencies.filter((name) => !used.has(name)).map((name) => `package.json:1: ${name} is imported nowhere`);
    expectNone([...undeclared, ...unused]);
  });
});

describe("files", () => {
  test("names are kebab-case", () => {
    const isTaskFolder = (path: string) => TASK_TYPES.some((type) => path === `src/tasks/${type}` || path === `test/tasks/${type}`);
    const isWellNamed = (path: string) => /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$|^[A-Z]+\.md$/.test(basename(path));
    const folders = new Set(everything.map(({ path }) => dirname(path)).filter((path) => path !== "."));
    const badFolders = [...folders].filter((path) => !isTaskFolder(path) && !isWellNamed(path));
    const badFiles = everything.map(({ path }) => path).filter((path) => !isWellNamed(path));
    expectNone([...badFolders, ...badFiles].map((path) => `${path}:1: is not in kebab-case`));
  });

  test("every source file is reached from main.ts", () => {
    const reached = reachedFrom("src/main.ts");
    expectNone(code.filter(({ path }) => !reached.has(path)).map(({ path }) => `${path}:1: is reached by nothing`));
  });

  test("every text is used", () => {
    const imported = new Set(code.flatMap((file) => file.imports.map(({ path }) => path)));
    const texts = sources.filter(({ path }) => path.endsWith(".md") && path !== "src/README.md");
    expectNone(texts.filter(({ path }) => !imported.has(path)).map(({ path }) => `${path}:1: is imported by nothing`));
  });

  test("only a task kind has an index.ts, and nothing else passes exports on", () => {
    const others = code.filter(({ path }) => !/^src\/tasks\/\w+\/index\.ts$/.test(path));
    const indexes = others.filter(({ path }) => basename(path) === "index.ts").map(({ path }) => `${path}:1: is a barrel`);
    expectNone([...indexes, ...eachMatch(others, /^export\b[^;=(]*\bfrom\s*"[^"]+"/gm, () => "passes on what another file exports")]);
  });

  test("only commands are default exports", () => {
    const others = code.filter(({ path }) => !path.startsWith("src/cli/commands/"));
    expectNone(eachMatch(others, /^export default\b/gm, () => "has a default export"));
  });
});

describe("task kinds", () => {
  test("the folders are the types", () => {
    const folders = new Set(code.map(({ path }) => /^src\/tasks\/([^/]+)\//.exec(path)?.[1]).filter((name) => name !== undefined));
    expect([...folders].toSorted()).toEqual([...TASK_TYPES].toSorted());
  });

  test.each([...TASK_TYPES])("the folder of %s holds the kind of that type", async (type) => {
    expect((await loadTaskKind(type))?.type).toBe(type);
    const registry = sources.find(({ path }) => path === "src/tasks/registry.ts");
    expect(registry?.imports.map(({ path }) => path)).toContain(`src/tasks/${type}/index.ts`);
  });
});

describe("text", () => {
  test("nothing is left for later", () => {
    expectNone(eachMatch(everything, /\b(TO[D]O|FIX[M]E|HAC[K])\b/g, (word) => `says ${word}`));
  });

  test("no path of the machine it was written on", () => {
    expectNone(eachMatch(everything, /(?<![\w.~}-])\/(root|work)\/\w+/g, (path) => `names ${path}`).filter((line) => !line.startsWith("test/fixtures/")));
  });

  test("no catch-all modules", () => {
    expectNone(everything.filter(({ path }) => /\b(utils?|helpers?|misc|common)\b/.test(path)).map(({ path }) => `${path}:1: says nothing about what it holds`));
  });

  test("comments explain by themselves, without numbers of a document that the reader lacks", () => {
    expectNone(eachMatch(code, /\b[SVX]-\d{2,3}\b/g, (number) => `cites ${number}`));
  });

  test("no check is switched off without a reason", () => {
    expectNone(eachMatch(everything, /@ts-(ignore|expect-error|nocheck)\b/g, (word) => `says ${word}`));
    expectNone(eachMatch(everything, /(ox|es)lint-disable(?!(-next)?-line .* -- ).*/g, (comment) => `gives no reason: ${comment}`));
  });

  test("no test is left out", () => {
    const tests = everything.filter(({ path }) => path.endsWith(".test.ts") || path.endsWith(".suite.ts"));
    expectNone(eachMatch(tests, /\b(test|describe|it)\.(skip|only|todo|if|skipIf|todoIf|failing)\b/g, (call) => `uses ${call}`));
  });
});

function expectNone(problems: readonly string[]): void {
  expect(problems.join("\n")).toBe("");
}

function eachImport(files: readonly SourceFile[], complaint: (file: SourceFile, each: Import) => string | false): string[] {
  return files.flatMap((file) =>
    file.imports.flatMap((each) => {
      const text = complaint(file, each);
      return text === false ? [] : [`${file.path}:${each.line}: ${text}`];
    }),
  );
}

function eachMatch(files: readonly SourceFile[], pattern: RegExp, complaint: (match: string) => string): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map((match) => `${path}:${lineAt(text, match.index)}: ${complaint(match[0])}`),
  );
}

function layerOf(path: string): number | undefined {
  return LAYERS[topFolder(path)];
}

function topFolder(path: string): string {
  return path.split("/")[1] ?? "";
}

function maySee(from: string, to: string): boolean {
  if (topFolder(from) === topFolder(to)) return to.startsWith("src/");
  const [lower, upper] = [layerOf(to), layerOf(from)];
  return to.startsWith("src/") && lower !== undefined && upper !== undefined && lower < upper;
}

function packageOf(specifier: string): string {
  // The package of a platform comes with the package that names it as optional.
  if (specifier.startsWith("@vscode/ripgrep-")) return "@vscode/ripgrep";
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function reachedFrom(entry: string): Set<string> {
  const byPath = new Map(code.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const queue = [entry];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const { path: next } of byPath.get(path)?.imports ?? []) if (next !== undefined) queue.push(next);
  }
  return reached;
}

/** One line for every circle that a depth-first walk closes. */
function circles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const finished = new Set<string>();
  const found: string[] = [];
  const walk = (file: SourceFile, trail: readonly string[]): void => {
    if (finished.has(file.path)) return;
    for (const { path, line } of file.imports) {
      const next = path === undefined ? undefined : byPath.get(path);
      if (next === undefined) continue;
      const start = [...trail, file.path].indexOf(next.path);
      if (start === -1) walk(next, [...trail, file.path]);
      else found.push(`${file.path}:${line}: closes a circle: ${[...trail, file.path].slice(start).join(" → ")} → ${next.path}`);
    }
    finished.add(file.path);
  };
  for (const file of files) walk(file, []);
  return found;
}
