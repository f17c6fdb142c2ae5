import { expect } from "vitest";
import { appendChild, find, owned, parentOf, storeMember } from "../../fixtures/children.ts";
import { expectAbsent, expectConflict, expectOk } from "../../fixtures/expectations.ts";
import { append, users } from "../../fixtures/messages.ts";
import { sleep } from "../../fixtures/timing.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

/** A lifetime that is long enough for a few calls. */
const TTL = { ttlSeconds: 3 };
const expired = () => sleep(3_100);

/** Stores the conversation `"p"`, which expires, and its child `"c"`, which doesn't. */
async function storeExpiring(provider: Scenario["provider"]): Promise<void> {
  expectOk(await append(provider, "p", users("1"), owned, TTL));
  await storeMember(provider, "c", "p");
}

export const childExpiry = defineSpec(
  {
    level: "ttl",
    subject: "options.ttlSeconds, of families",
    why: "A chat has expired, but what inner agents said in it is listed, or is never erased.",
    hint: "find() with childrenOf: nothing of an expired parent; clearUser(): also the children that are left.",
    requires: ["ttl"],
    concurrent: true,
  },
  {
    "hides the children of an expired parent from lists, and a clearing removes them": async ({
      provider,
    }) => {
      await storeExpiring(provider);
      await expired();
      for (const query of [{}, { userId: "u" }, { traceId: "t" }, { childrenOf: "p" }]) {
        expect(await find(provider, query)).toEqual([]);
      }
      expect(expectOk(await provider.getStats("u"))).toEqual({ totalConversations: 0, totalMessages: 0 });
      expect(expectOk(await provider.clearUserConversations("u"))).toBe(0);
      await expectAbsent(provider, "c");
    },

    "gives a later conversation under the parent's id no children": async ({ provider }) => {
      await storeExpiring(provider);
      await expired();
      await storeMember(provider, "p");
      expect(await find(provider, { childrenOf: "p" })).toEqual([]);
    },

    "lets no child begin under an expired parent": async ({ provider }) => {
      await storeExpiring(provider);
      const childOf = await parentOf(provider, "p");
      await expired();
      expectConflict(await appendChild(provider, "new", childOf, users("1"), owned), "incarnation");
      await expectAbsent(provider, "new");
    },

    "removes an expired child from its parent's list": async ({ provider }) => {
      await storeMember(provider, "p");
      const childOf = await parentOf(provider, "p");
      expectOk(await appendChild(provider, "c", childOf, users("1"), owned, { ttlSeconds: 1 }));
      await storeMember(provider, "kept", "p");
      await expired();
      expect(await find(provider, { childrenOf: "p" })).toEqual(["kept"]);
      expectOk(await appendChild(provider, "c", childOf, users("2"), owned));
      expect(new Set(await find(provider, { childrenOf: "p" }))).toEqual(new Set(["c", "kept"]));
    },
  },
);
