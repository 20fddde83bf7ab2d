import type { PermissionRequest, Verdict } from "../core/permission.ts";
import { decidePath } from "./decide-path.ts";

/**
 * Decides one call. Looks at the file system to find out what paths really are, and never asks anybody: `ask` means that
 * nothing allows the call and nothing forbids it.
 *
 * In this order: deny rules of any layer in any mode, with commands that may hide a denied one; ask rules; allow rules;
 * the mode.
 */
export function decidePermission(request: PermissionRequest): Verdict {
  const { access } = request;
  return access.kind === "command" ? access.judge.decide({ ...request, access }) : decidePath({ ...request, access });
}
