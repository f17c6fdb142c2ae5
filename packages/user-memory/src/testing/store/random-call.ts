import { expect } from "vitest";
import { UserMemoryError } from "../../errors.ts";
import type { UserFact } from "../../fact.ts";
import type { UserMemoryStore } from "../../store.ts";
import { below, pick, type Random } from "../random.ts";

/** One of two users in a random test. All texts of the user contain the word in `mark`. */
export interface Party {
  readonly user: string;
  readonly mark: string;
  /** Ids of all facts that the user has stored so far. */
  readonly ids: string[];
}

const TRUSTS = ["stated", "confirmed", "inferred", "external"] as const;
const WORDS = ["tea", "coffee", "Rome", "Oslo", "bicycle"] as const;

function expectOwn({ user, mark }: Party, facts: readonly (UserFact | null)[]): void {
  for (const fact of facts) {
    if (fact === null) continue;
    expect(fact.userId).toBe(user);
    expect(fact.fact, "a fact of the other user").toContain(mark);
    for (const tag of fact.tags ?? []) expect(tag).toContain(mark);
  }
}

async function remember(memory: UserMemoryStore, own: Party, random: Random): Promise<void> {
  const word = pick(random, WORDS);
  const fact = await memory.remember(own.user, `${own.mark} likes ${word} ${below(random, 400)}`, {
    trust: pick(random, TRUSTS),
    tags: [`${own.mark}-${below(random, 3)}`],
    ...(random() < 0.5 ? { key: `key ${below(random, 5)}` } : {}),
    ...(random() < 0.5 ? { provenance: { conversationId: "c", position: below(random, 50) } } : {}),
  });
  own.ids.push(fact.id);
  expectOwn(own, [fact]);
}

/** Makes a random call as the user `own`, with the id of a fact that may belong to `own` or to the other user. */
async function meddle(memory: UserMemoryStore, own: Party, id: string, random: Random): Promise<void> {
  const { user } = own;
  const calls = [
    async () => expectOwn(own, [await memory.get(user, id)]),
    async () => expectOwn(own, [await memory.update(user, id, { score: random() })]),
    async () => expectOwn(own, [await memory.review.approve(user, id)]),
    async () => {
      const explained = await memory.explain(user, id, "tea");
      expectOwn(own, explained === null ? [] : [explained.fact, ...explained.supersedes]);
    },
    // With a fact, its older versions with the same text are deleted.
    async () =>
      expect((await memory.forget(user, id)).facts).toBeLessThanOrEqual(
        own.ids.includes(id) ? own.ids.length : 0,
      ),
    async () => {
      if (await memory.review.reject(user, id)) expect(own.ids).toContain(id);
    },
  ];
  await pick(random, calls)();
}

/** Makes one random call as a user. Rejects if the call returns or changes data of the other user. */
export async function randomCall(
  memory: UserMemoryStore,
  { own, other, random }: { readonly own: Party; readonly other: Party; readonly random: Random },
): Promise<void> {
  const { user, mark } = own;
  const kind = random();
  if (kind < 0.4) return remember(memory, own, random);
  if (kind < 0.65) {
    const anybodys = random() < 0.5 ? other.ids : own.ids;
    return anybodys.length === 0 ? undefined : meddle(memory, own, pick(random, anybodys), random);
  }
  if (kind < 0.85) {
    const tags = random() < 0.3 ? [pick(random, [mark, other.mark]).concat("-1")] : undefined;
    const query = `${other.mark} ${mark} ${pick(random, WORDS)}`;
    return expectOwn(own, await memory.recall(user, query, { tags, limit: 20 }));
  }
  if (kind < 0.94)
    return expectOwn(
      own,
      await memory.list(user, { status: ["active", "quarantined", "superseded"], limit: 30 }),
    );
  if (kind < 0.95) return void (await memory.forgetAll(user));
  const trail = await memory.audit(user);
  for (const { factId } of trail) expect(other.ids).not.toContain(factId);
}

/** Waits for a call. Ignores the errors `"erased"`, `"forgotten"` and `"full"`. */
export async function unlessRefused(call: Promise<void>): Promise<void> {
  // Concurrent writes can cause them.
  try {
    await call;
  } catch (thrown) {
    const isAllowed =
      thrown instanceof UserMemoryError && ["erased", "forgotten", "full"].includes(thrown.code);
    if (!isAllowed) throw thrown;
  }
}
