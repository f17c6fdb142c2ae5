import { expect } from "vitest";
import type { Result } from "../../../contract/errors.ts";
import type { VersionedMemoryProvider } from "../../../contract/versioned-provider.ts";
import { expectError, expectOk } from "../../fixtures/expectations.ts";
import { users } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

export const healthCheck = defineSpec(
  {
    level: "contract",
    subject: "healthCheck",
    why: "A load balancer treats a healthy store as dead.",
    hint: "ping(): one round trip that writes nothing.",
  },
  {
    "reports a reachable store as healthy, with its latency": async ({ provider }) => {
      const health = expectOk(await provider.healthCheck());
      expect(health.healthy).toBe(true);
      expect(health).not.toHaveProperty("error");
      expect(health.latencyMs).toBeGreaterThanOrEqual(0);
      expect(health.latencyMs).toBeLessThan(10_000);
    },

    "writes nothing": async ({ provider }) => {
      expectOk(await provider.healthCheck());
      expect(expectOk(await provider.getStats()).totalConversations).toBe(0);
    },
  },
);

const calls: Readonly<Record<string, (provider: VersionedMemoryProvider) => Promise<Result<unknown>>>> = {
  storeMessages: (provider) => provider.storeMessages("c", users("2")),
  appendMessages: (provider) => provider.appendMessages("c", users("2")),
  getConversation: (provider) => provider.getConversation("c"),
  findConversations: (provider) => provider.findConversations({}),
  getRecentMessages: (provider) => provider.getRecentMessages("c"),
  deleteConversation: (provider) => provider.deleteConversation("c"),
  clearUserConversations: (provider) => provider.clearUserConversations("u"),
  readConversation: (provider) => provider.readConversation("c"),
  exportConversation: (provider) => provider.exportConversation("c"),
  getStats: (provider) => provider.getStats(),
};

export const outages = defineSpec(
  {
    level: "contract",
    subject: "a store out of reach",
    why: "A load balancer continues to send users to an instance that can't store anything, or a chat looks empty.",
    hint: "ping() asks the store; toMemoryError() turns a lost connection into a retryable MemoryConnectionError; the driver has timeouts.",
    needs: ["stop"],
  },
  {
    "is not healthy, and healthCheck returns the reason": async ({ provider, stop }) => {
      expect(expectOk(await provider.healthCheck()).healthy).toBe(true);
      await stop();
      for (const health of [await provider.healthCheck(), await provider.healthCheck()]) {
        expect(expectOk(health)).toMatchObject({ healthy: false, error: expect.stringMatching(/./) });
      }
    },

    "fails every other call with a retryable connection error": async ({ provider, stop }) => {
      expectOk(await provider.storeMessages("c", users("1"), { userId: "u" }));
      await stop();
      // All calls run at the same time, because each may take as long as its driver tries to connect.
      const attempts = Object.entries(calls).map(async ([operation, call]) => {
        const error = expectError(await call(provider), "MemoryConnectionError");
        expect(error).toMatchObject({ operation, retryable: true });
      });
      for (const attempt of await Promise.allSettled(attempts)) {
        if (attempt.status === "rejected") throw attempt.reason;
      }
    },
  },
);
