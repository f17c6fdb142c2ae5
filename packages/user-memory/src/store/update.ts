import { present } from "@jaf/memory/adapter";
import * as z from "zod";
import type { StoredFact, UserKey } from "../backend.ts";
import type { UserFact } from "../fact.ts";
import { isFactId, plausibleTime, termsOfFact, toUserFactOrNull } from "../facts/facts.ts";
import type { Digests } from "../facts/tombstones.ts";
import type { UserMemoryLimits } from "../options.ts";
import { openEmbedding } from "../recall/embedding.ts";
import { byId, digestsFor, type StoreScope, type Write } from "../transaction/transaction.ts";
import {
  checkInput,
  dateSchema,
  factSchema,
  invalidInputError,
  perLimits,
  scoreSchema,
  tagsSchema,
} from "../validation.ts";

export async function update(
  scope: StoreScope,
  user: UserKey,
  { factId, changes }: { readonly factId: unknown; readonly changes: unknown },
): Promise<UserFact | null> {
  const { transactions, settings } = scope;
  const read = readUpdate(changes, settings.limits);
  if (!isFactId(factId)) return null;
  return transactions.run(user, async ({ begin, write }) => {
    const text = settings.embed === undefined ? undefined : read.fact;
    if (text !== undefined) await begin();
    const vector = text === undefined ? null : await openEmbedding(settings, "update")(text);
    const digests = digestsFor(scope, user);
    return toUserFactOrNull(user, await write(updateWrite({ factId, changes: read, digests, vector })));
  });
}

/** The validated changes of a fact. */
interface UpdateInput {
  readonly fact?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly score?: number | null | undefined;
  readonly validUntil?: number | null | undefined;
}

const schemaOf = perLimits((limits) =>
  z.strictObject({
    fact: factSchema(limits).optional(),
    tags: tagsSchema(limits).optional(),
    score: scoreSchema.nullable().optional(),
    validUntil: dateSchema.nullable().optional(),
  }),
);

const readUpdate = (changes: unknown, limits: UserMemoryLimits): UpdateInput =>
  checkInput("update", schemaOf(limits), "changes", changes);

interface UpdateOptions {
  readonly factId: string;
  readonly changes: UpdateInput;
  readonly digests: Digests;
  /** The vector of the new text. `null` if the text doesn't change, or if `embed` isn't set or fails. */
  readonly vector: readonly number[] | null;
}

/**
 * Returns the write that changes a fact. The result of the write is the changed fact, or `null` if the user has no such
 * fact.
 */
function updateWrite(options: UpdateOptions): Write<StoredFact | null> {
  const { factId, changes, digests } = options;
  return {
    operation: "update",
    selection: {
      ids: [factId],
      ...(changes.fact === undefined ? {} : { digests: [digests.ofFact(changes.fact)] }),
    },
    decide: ({ snapshot, draft, now }) => {
      const before = byId(snapshot, factId);
      if (before === undefined) return { result: null, change: null };
      const isTaken = snapshot.facts.some(({ id, status }) => id !== factId && status !== "superseded");
      if (isTaken) throw refusal("a text that no other fact of the user has");
      const after = { ...reworded(before, options), ...changed(before, changes, now), updatedAt: now };
      draft.put("changed", after, before);
      return { result: after, change: draft.build() };
    },
  };
}

/**
 * Returns a fact with its new text, or the fact as it is if its text doesn't change. Throws if the fact gets a new text
 * but isn't active.
 */
function reworded(before: StoredFact, { changes, digests, vector }: UpdateOptions): StoredFact {
  // The new text counts as stated by the user, so the source of the old text is removed.
  if (changes.fact === undefined || changes.fact === before.fact) return before;
  if (before.status !== "active") {
    throw refusal("no new text for a quarantined or superseded fact; remember the new text instead");
  }
  const said: StoredFact = {
    ...before,
    fact: changes.fact,
    digest: digests.ofFact(changes.fact),
    trust: "stated",
    conversationId: null,
    position: null,
    messageId: null,
    author: null,
    extractor: null,
    evidence: null,
    saidAt: null,
    quotation: null,
    vector,
  };
  return { ...said, terms: termsOfFact(said) };
}

const refusal = (expected: string) => invalidInputError("update", [{ path: "changes.fact", expected }]);

function changed(before: StoredFact, { tags, score, validUntil }: UpdateInput, now: number) {
  const until = plausibleTime(validUntil, now);
  return {
    ...present({ tags, score }),
    ...(validUntil === undefined
      ? {}
      : { validUntil: until !== null && until <= before.validFrom ? null : until }),
  };
}
