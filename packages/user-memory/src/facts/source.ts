import type { StoredFact } from "../backend/backend.ts";

export type Source = Pick<StoredFact, "conversationId" | "extractor">;

/** Where a fact that isn't the user's word comes from: one conversation, or else one extractor. */
export const sourceOf = ({ conversationId, extractor }: Source): string =>
  conversationId === null ? `by ${extractor ?? ""}` : `in ${conversationId}`;
