import type { ValidationResult } from "./guardrail.ts";

/** The options of {@link createPermissionCheck}. */
export interface PermissionCheckOptions<Ctx> {
  /**
   * Returns the permissions in a context; `undefined` if it has none. Default: the list in the context's own field
   * `permissions`.
   */
  readonly permissionsOf?: (context: Ctx) => readonly string[] | undefined;
}

const ownPermissions = (context: unknown): readonly string[] | undefined =>
  typeof context === "object" &&
  context !== null &&
  "permissions" in context &&
  Array.isArray(context.permissions)
    ? context.permissions
    : undefined;

/**
 * Creates a guardrail that passes if the context has all permissions in `required`. If `required` is empty (the default), the
 * guardrail passes if the context has at least one permission. A context without a list of permissions is blocked.
 *
 * @example
 * ```ts
 * import { createPermissionCheck } from "@jaf/core";
 *
 * export const canRead = createPermissionCheck("orders:read");
 * export const canRefund = createPermissionCheck(["orders:read", "orders:refund"], {
 *   permissionsOf: (context: { roles: readonly string[] }) => context.roles,
 * });
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: the default looks for permissions in every context
export function createPermissionCheck<Ctx = any>(
  required: string | readonly string[] = [],
  options: PermissionCheckOptions<Ctx> = {},
): (input: unknown, context: Ctx) => ValidationResult {
  const names = typeof required === "string" ? [required] : required;
  return (_input, context) => {
    const held =
      options.permissionsOf === undefined ? ownPermissions(context) : options.permissionsOf(context);
    if (held === undefined || held.length === 0) return denied("no permissions are held");
    const missing = names.filter((name) => !held.includes(name));
    return missing.length === 0 ? { isValid: true } : denied(`missing ${missing.join(", ")}`);
  };
}

const denied = (why: string): ValidationResult => ({
  isValid: false,
  errorMessage: `Permission denied: ${why}`,
});
