/**
 * Why a text may be something else to the shell than to the parser; undefined where nothing is known against it.
 *
 * @param dialect `sh` may be a shell that knows less than bash, and takes for something else what it does not know
 */
export function problemOfText(text: string, dialect: "bash" | "sh"): string | undefined {
  if (/(?![\n\t])\p{Cc}/u.test(text)) return "it holds control characters";
  if (/[\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}\p{Cs}]|(?! )\p{Zs}/u.test(text)) return "it holds invisible characters";
  if (/\\\n/.test(text)) return "lines are joined where a quote or a comment may stand";
  if (dialect === "sh" && BASH_ONLY.test(text)) return "it uses syntax of bash in a shell that may be another";
  return undefined;
}

/** Of the numbers: some shells evaluate those of a test, names and brackets included, and take only one digit for a descriptor. */
const BASH_ONLY = /(?:^|[\s;&|()])\d\d+[<>]|\s-(?:eq|ne|lt|le|gt|ge)\s|&>|\|&|<<<|[<>]\(|\$['"[]|\[\[|\(\(|\bfunction\b|\bselect\b|;;?&|>&\s*[^\d\s-]|\$\{[^}]*[/^,@!]|[@?*+!]\(/;
