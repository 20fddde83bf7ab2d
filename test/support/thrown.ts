import { AppError } from "../../src/core/errors.ts";

/** What a call threw or rejected with. Fails when it did neither. */
export async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error("Expected the call to throw");
}

/** The `AppError` that a call threw or rejected with. Fails when it was something else. */
export async function appErrorOf(call: () => unknown): Promise<AppError> {
  const error = await thrownBy(call);
  if (error instanceof AppError) return error;
  throw new Error(`Expected an AppError, got ${String(error)}`);
}
