import { setBounded } from "../bounded-map.ts";
import type { ConversationMemory } from "../provider.ts";

const MAX_CONVERSATIONS = 100_000;

/** The incarnations that the primary gave last: of the 100,000 conversations that were read last. */
export interface SeenIncarnations {
  readonly of: (conversationId: string) => string | undefined;
  /** Records the incarnation in what a read of the primary returned, if it has one. */
  readonly record: (conversationId: string, data: unknown) => void;
  readonly delete: (conversationId: string) => void;
  readonly clear: () => void;
}

const textOf = (value: unknown, field: string): string | undefined => {
  const text: unknown = typeof value === "object" && value !== null ? Reflect.get(value, field) : undefined;
  return typeof text === "string" ? text : undefined;
};

export function createSeenIncarnations(): SeenIncarnations {
  const seen = new Map<string, string>();
  const set = (id: string, incarnation: string | undefined): void => {
    if (incarnation !== undefined) setBounded(seen, [id, incarnation], MAX_CONVERSATIONS);
  };
  return {
    of: (id) => seen.get(id),
    record: (id, data) =>
      set(
        id,
        textOf(data, "incarnation") ??
          textOf((data as Partial<ConversationMemory> | null)?.metadata, "incarnation"),
      ),
    delete: (id) => void seen.delete(id),
    clear: () => seen.clear(),
  };
}
