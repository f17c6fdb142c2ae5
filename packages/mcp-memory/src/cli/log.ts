import { UserMemoryError } from "@jaf/user-memory";

/** Writes an error to stderr, without content: neither facts nor arguments of a call. */
export function logError(thrown: unknown): void {
  console.error(`jaf-mcp-memory: ${describe(thrown)}`);
}

function describe(thrown: unknown): string {
  if (thrown instanceof UserMemoryError)
    return `${thrown.operation} failed (${thrown.code}): ${thrown.message}`;
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}
