import type { Message } from "@jaf/memory";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canonical } from "../../../test/fakes/canonical.ts";
import { WAYS } from "../../../test/models/run.ts";
import { type Replayed, replay } from "../../../test/recordings/replay.ts";
import type { LosslessBackend, StoreConnection } from "../support/lossless/backends.ts";
import { pick, type Random, randomNumbers } from "../support/random.ts";
import { allRecordings, type Recorded } from "../support/recordings/all.ts";
import { BREAKING, type Change, HARMLESS } from "../support/recordings/changes.ts";
import { comparable } from "../support/recordings/comparison.ts";
import { faultsOfOthers, faultsOfOwn } from "../support/recordings/foreign.ts";
import { expectAnswered, expectNoCrash, expectSound, shownAgain } from "../support/recordings/invariants.ts";
import { STORES } from "../support/recordings/stores.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

const SEEDS = 16;

/** The changes after which a reply is still one that the service could send. */
const VALID: ReadonlySet<string> = new Set(["has an unknown item", "swaps events"]);

const titled = allRecordings.map((recorded) => [recorded.title, recorded] as const);

const changed = (random: Random, recorded: Recorded, change: Change): Recorded => ({
  ...recorded,
  recording: change(random, recorded.recording, recorded.apiName),
});

describe("a reply that is not as documented is refused, or kept as any other", () => {
  const stores: { readonly backend: LosslessBackend; readonly connection: StoreConnection }[] = [];
  beforeAll(async () => {
    for (const open of Object.values(STORES)) {
      const backend = await open();
      stores.push({ backend, connection: await backend.connect() });
    }
  });
  afterAll(async () => {
    for (const { backend, connection } of stores) {
      await connection.close();
      await backend.close();
    }
  });

  /** Stores the messages on each store, and expects to read the same. */
  async function expectStored(messages: readonly Message[]): Promise<void> {
    const conversationId = crypto.randomUUID();
    for (const { connection } of stores) {
      expect((await connection.provider.storeMessages(conversationId, messages)).success).toBe(true);
      const found = await connection.provider.getConversation(conversationId);
      expect(found.success && found.data?.messages).toEqual(messages);
    }
  }

  it.each(titled)("%s", async (_, recorded) => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const random = randomNumbers(seed);
      const name = pick(random, Object.keys(BREAKING));
      const way = pick(random, WAYS);
      const broken = changed(random, recorded, BREAKING[name] ?? ((_, same) => same));
      const replayed = await replay(broken.api, broken.recording, { way });
      await expectInvariants(broken, replayed, { change: name, way, recorded }).catch((thrown: unknown) => {
        throw new Error(`seed ${seed}, ${way}, ${name}: ${thrown}`, { cause: thrown });
      });
      for (const messages of replayed.stored.slice(-1)) await expectStored(messages as readonly Message[]);
    }
  });
});

interface Changed {
  readonly change: string;
  readonly way: (typeof WAYS)[number];
  /** Before the change. */
  readonly recorded: Recorded;
}

async function expectInvariants(
  broken: Recorded,
  replayed: Replayed,
  { change, way, recorded }: Changed,
): Promise<void> {
  for (const result of [replayed.first, replayed.answered, replayed.second]) {
    if (result === undefined) continue;
    if (!broken.isThroughAiSdk) expectNoCrash(result);
    expectAnswered(result);
  }
  const calls = (replayed.stored.at(-1) ?? []).flatMap(({ tool_calls }) => tool_calls ?? []);
  expect(replayed.ran.length).toBeLessThanOrEqual(calls.length);
  for (const messages of replayed.stored) {
    expectSound(messages);
    // A page may show less of a strange reply.
    shownAgain(messages);
    expect(await faultsOfOthers(broken, messages)).toEqual([]);
  }
  // Otherwise the service gets back what it never sends, as it came. The fakes have the rules of the API's own
  // vendor, and for our own clients.
  const isJudged = broken.recording.service === undefined && !broken.isThroughAiSdk;
  if (!VALID.has(change) || !isJudged) return;
  const faults = faultsOfOwn(broken, replayed.requests);
  if (faults.length === 0) return;
  // A service also takes back what it says against its own documentation: the recording says so without the change.
  const unchanged = await replay(recorded.api, recorded.recording, { way });
  expect(faults).toEqual(faultsOfOwn(recorded, unchanged.requests));
}

// The AI SDK's clients have rules of their own for events.
const ours = titled.filter(([, { isThroughAiSdk }]) => !isThroughAiSdk);

describe("a stream that is divided otherwise is the same reply", () => {
  it.each(ours)("%s", async (_, recorded) => {
    const same = comparable(await replay(recorded.api, recorded.recording, { way: "streamed" }));
    for (let seed = 0; seed < SEEDS; seed++) {
      const random = randomNumbers(seed);
      const name = pick(random, Object.keys(HARMLESS));
      const { api, recording } = changed(random, recorded, HARMLESS[name] ?? ((_, same) => same));
      const replayed = await replay(api, recording, { way: "streamed" });
      expect([seed, name, comparable(replayed)], canonical(recording.replies as never)).toEqual([
        seed,
        name,
        same,
      ]);
    }
  });
});
