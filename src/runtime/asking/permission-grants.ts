import type { PermissionRule } from "../../core/permission.ts";

/** The rules of a run: those it was started with, and those that a person grants while it goes on. */
export interface PermissionGrants {
  rules(): readonly PermissionRule[];
  add(granted: readonly PermissionRule[]): void;
}

export function createPermissionGrants(initial: readonly PermissionRule[]): PermissionGrants {
  let rules = initial;
  return {
    rules: () => rules,
    add(granted) {
      rules = [...rules, ...granted];
    },
  };
}
