import { AppError } from "../../core/errors.ts";

/** Workflows have their place in records and builds, and nothing that runs them yet: always throws an `AppError`. */
export function startWorkflow(): never {
  throw new AppError("usage", "Cannot run a workflow: this part is not built yet", { code: "not_built" });
}
