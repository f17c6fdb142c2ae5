/** The words of whatever was thrown, or was given as a reason. Never throws, also where that can't be written as text. */
export function textOfThrown(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return `a ${typeof thrown} that can't be written as text`;
  }
}
