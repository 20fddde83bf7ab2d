/** Closes a `switch` over a union: a member without a case is a type error, and throws should it still get here. */
export function assertNever(value: never, what = "value"): never {
  throw new Error(`Unexpected ${what}: ${JSON.stringify(value)}`);
}
