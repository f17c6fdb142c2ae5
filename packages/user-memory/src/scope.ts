import type { Access } from "./access.ts";
import type { StoredFact, UserKey } from "./backend/backend.ts";
import type { UserFact } from "./fact.ts";
import { type Digests, digestsOf } from "./facts/digests.ts";
import { factOf } from "./facts/to-user-fact.ts";
import type { UserMemorySettings } from "./options.ts";

/** What every operation of a store works with. */
export interface StoreScope {
  readonly access: Access;
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
