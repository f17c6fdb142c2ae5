import { expect } from "vitest";
import { expectOk } from "../expectations.ts";
import { defineSpec } from "../spec.ts";

export const healthCheck = defineSpec(
  {
    level: "contract",
    subject: "healthCheck",
    why: "A load balancer takes a healthy store for a dead one.",
    hint: "ping(): one round trip that writes nothing.",
  },
  {
    "says that a store in reach is healthy, and how fast it answers": async ({ provider }) => {
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
