import { expect } from "vitest";
import { expectOk } from "../expectations.ts";
import { forEachConcurrently } from "../for-each-concurrently.ts";
import { users } from "../messages.ts";
import { defineSpec, type Scenario } from "../spec.ts";
import { nextTurn } from "../time.ts";
import { append } from "../writes.ts";

const ROUNDS = 8;
const CONVERSATIONS = Array.from({ length: 24 }, (_, index) => `c-${index}`);

/** Clears `u` again and again while `v` takes over one conversation after the other. */
async function clearDuringTakeover({ provider, connect }: Scenario): Promise<void> {
  const other = await connect();
  let taking = true;
  const takeOver = async () => {
    try {
      await forEachConcurrently(CONVERSATIONS, async (id) => {
        expectOk(await other.deleteConversation(id));
        expectOk(await append(other, id, users("of v"), { userId: "v" }));
      });
    } finally {
      taking = false;
    }
  };
  const clear = async () => {
    while (taking) {
      expectOk(await provider.clearUserConversations("u"));
      await nextTurn();
    }
  };
  await Promise.all([clear(), takeOver()]);
}

export const takeovers = defineSpec(
  {
    level: "concurrency",
    subject: "clearing a user",
    why: "One user's data is erased along with another's, who has begun a conversation under the same id.",
    hint: "clearUser(): what is deleted is chosen by its owner in the step that deletes, not by ids that were listed before.",
  },
  {
    "leaves alone what another user begins meanwhile under the same ids": async (scenario) => {
      const { provider } = scenario;
      for (let round = 0; round < ROUNDS; round++) {
        await forEachConcurrently(CONVERSATIONS, async (id) => {
          expectOk(await append(provider, id, users("of u"), { userId: "u" }));
        });
        await clearDuringTakeover(scenario);
        const left = expectOk(await provider.findConversations({}));
        const owners = Object.fromEntries(left.map(({ conversationId, userId }) => [conversationId, userId]));
        expect(owners).toEqual(Object.fromEntries(CONVERSATIONS.map((id) => [id, "v"])));
        expect(expectOk(await provider.clearUserConversations("v"))).toBe(CONVERSATIONS.length);
      }
    },
  },
);
