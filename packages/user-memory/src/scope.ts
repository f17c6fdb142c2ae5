import { present } from "@jaf/memory/adapter";
import type { Access } from "./access.ts";
import type { Audit } from "./audit/chain.ts";
import type { StoredFact, UserKey } from "./backend/backend.ts";
import type { Provenance, UserFact } from "./fact.ts";
import { type Digests, digestsOf } from "./facts/digests.ts";
import { shownQuotation } from "./facts/quotation.ts";
import type { UserMemorySettings } from "./options.ts";

/** What every operation of a store works with. */
export interface StoreScope {
  readonly access: Access;
  readonly audit: Audit;
  readonly settings: UserMemorySettings;
  /** Has `drain` wait for work that no caller waits for. */
  readonly track: (work: Promise<unknown>) => void;
}

export const digestsFor = ({ settings }: StoreScope, user: UserKey): Digests =>
  digestsOf(user, settings.auditKey);

export const shown = (user: UserKey, stored: StoredFact): UserFact => factOf(user.userId, stored);

export const shownOrNull = (user: UserKey, stored: StoredFact | null | undefined): UserFact | null =>
  stored ? shown(user, stored) : null;

/** Whether a value can be the id of a fact. One that can't names nothing. */
export const isFactId = (factId: unknown): factId is string =>
  typeof factId === "string" && /^[0-9a-f-]{36}$/.test(factId);

/** The user's fact of this id. */
export async function findFact(
  { access }: StoreScope,
  {
    user,
    operation,
    factId,
  }: { readonly user: UserKey; readonly operation: string; readonly factId: unknown },
): Promise<StoredFact | null> {
  if (!isFactId(factId)) return null;
  const { facts } = await access.ask(operation, () =>
    access.backend.read(user, { ids: [factId], brief: true }),
  );
  return facts.find(({ id }) => id === factId) ?? null;
}

/** A fact as callers get it: frozen, and without what isn't known. */
function factOf(userId: string, stored: StoredFact): UserFact {
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
    ...present({ conflictsWith: conflictsWith ?? undefined, quarantine: quarantine ?? undefined, quotation }),
  });
}

function provenanceOf(stored: StoredFact): Provenance {
  const { conversationId, position, messageId, author, extractor, saidAt } = stored;
  const evidence = stored.quotation === null ? stored.evidence : stored.fact;
  return {
    ...present({
      conversationId: conversationId ?? undefined,
      position: position ?? undefined,
      messageId: messageId ?? undefined,
      author: author ?? undefined,
      extractor: extractor ?? undefined,
      evidence: evidence ?? undefined,
    }),
    ...(saidAt === null ? {} : { saidAt: new Date(saidAt) }),
  };
}
