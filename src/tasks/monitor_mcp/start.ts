import { AppError } from "../../core/errors.ts";

/** Monitors have their place in records and builds, and nothing that runs them yet: always throws an `AppError`. */
export function startMonitor(): never {
  throw new AppError("usage", "Cannot start a monitor: this part is not built yet", { code: "not_built" });
}
