/** `undefined` for what has none. */
export const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && "code" in thrown ? thrown.code : undefined;

const UNRESOLVED = new Set<unknown>([
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
  "ERR_PACKAGE_PATH_NOT_EXPORTED",
  "ERR_PACKAGE_IMPORT_NOT_DEFINED",
  "ERR_UNSUPPORTED_DIR_IMPORT",
]);

/** Whether Node found no module for a name, as opposed to a module whose code threw. */
export const isUnresolved = (thrown: unknown): boolean => UNRESOLVED.has(codeOf(thrown));

/** Whether an import failed for want of this very package, and not of one that it imports in turn. */
export function isMissingPackage(name: string, thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = codeOf(thrown);
  if (code !== undefined && code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return false;
  return thrown.message.includes(`'${name}'`) || thrown.message.includes(`"${name}"`);
}
