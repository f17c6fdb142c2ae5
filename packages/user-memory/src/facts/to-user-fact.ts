import type { StoredFact } from "../backend/backend.ts";
import type { Provenance, UserFact } from "../fact.ts";
import { shownQuotation } from "./quotation.ts";

/** A fact as callers get it: frozen, and without what isn't known. */
export function factOf(userId: string, stored: StoredFact): UserFact {
  const { id, fact, tags, score, trust, status, quarantine, key } = stored;
  const quotation = shownQuotation(stored);
  const { updatedAt, validUntil, supersededBy, supersededAt, conflictsWith } = stored;
  return Object.freeze({
    ...{ id, userId, fact, trust, status },
    ...(tags.length === 0 ? {} : { tags: Object.freeze([...tags]) }),
    ...(score === null ? {} : { score }),
    createdAt: new Date(stored.createdAt),
    ...(updatedAt === null ? {} : { updatedAt: new Date(updatedAt) }),
    provenance: Object.freeze(provenanceOf(stored)),
    ...(key === null ? {} : { key }),
    validFrom: new Date(stored.validFrom),
    ...(validUntil === null ? {} : { validUntil: new Date(validUntil) }),
    ...(supersededBy === null ? {} : { supersededBy }),
    ...(supersededAt === null ? {} : { supersededAt: new Date(supersededAt) }),
    ...(conflictsWith === null ? {} : { conflictsWith }),
    ...(quarantine === null ? {} : { quarantine }),
    ...(quotation === undefined ? {} : { quotation }),
  });
}

function provenanceOf(stored: StoredFact): Provenance {
  const { conversationId, position, messageId, author, extractor, saidAt } = stored;
  const evidence = stored.quotation === null ? stored.evidence : stored.fact;
  return {
    ...(conversationId === null ? {} : { conversationId }),
    ...(position === null ? {} : { position }),
    ...(messageId === null ? {} : { messageId }),
    ...(author === null ? {} : { author }),
    ...(extractor === null ? {} : { extractor }),
    ...(evidence === null ? {} : { evidence }),
    ...(saidAt === null ? {} : { saidAt: new Date(saidAt) }),
  };
}
