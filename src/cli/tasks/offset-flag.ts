import { AppError } from "../../core/errors.ts";

/** A whole number, 0 included. */
export function offsetFlag(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new AppError("usage", `Cannot use "${text}" for ${name}: it takes a whole number from 0 up`, { code: "bad_value" });
}
