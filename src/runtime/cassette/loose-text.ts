/** Where a run takes place. */
export interface RunPlaces {
  readonly cwd: string;
  readonly home: string;
  readonly tmp: string;
}

/** Whether a text of a request counts as the recorded one. */
export type IsSameText = (recorded: string, now: string) => boolean;

/**
 * Compares texts of requests of two runs in different places: working directory, home and temporary directory of either
 * count as the same, and so do the lines of the system prompt about the date and the platform. A mark that stands for a
 * secret matches any text, so that a replay needs no secret.
 */
export function createLooseComparison(recorded: RunPlaces, now: RunPlaces, redact: (text: string) => string): IsSameText {
  const places = placesToMark([recorded, now]);
  const loosen = (text: string) => withoutDay(places.reduce((rest, { path, mark }) => rest.replaceAll(path, mark), text));
  return (one, other) => {
    if (one === other) return true;
    const [expected, got] = [loosen(one), loosen(redact(other))];
    return expected === got || matchesMarks(expected, got);
  };
}

/** Both runs' paths are looked for in both texts, so that what is the same before stays the same. Longer ones go first. */
function placesToMark(runs: readonly RunPlaces[]): { readonly path: RegExp; readonly mark: string }[] {
  const marks = new Map<string, string>();
  for (const name of ["cwd", "home", "tmp"] as const) {
    for (const { [name]: path } of runs) if (path.length > 1 && !marks.has(path)) marks.set(path, `<${name}>`);
  }
  return [...marks]
    .toSorted(([one], [other]) => other.length - one.length)
    // The path alone, not the beginning of a longer name.
    .map(([path, mark]) => ({ path: new RegExp(`(?<![\\w.-])${RegExp.escape(path)}(?![\\w-])`, "g"), mark }));
}

function withoutDay(text: string): string {
  return text.replace(/^- Date: \d{4}-\d\d-\d\d$/m, "- Date: <date>").replace(/^- Platform: \w+$/m, "- Platform: <platform>");
}

const MARK = /\[redacted:[\w-]+\]/;

function matchesMarks(expected: string, got: string): boolean {
  const [first = "", ...others] = expected.split(MARK);
  const last = others.pop();
  if (last === undefined || !got.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    // A secret has at least one character.
    const index = got.indexOf(part, at + 1);
    if (index === -1) return false;
    at = index + part.length;
  }
  return got.length > at + last.length && got.endsWith(last);
}
