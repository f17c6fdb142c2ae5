import { expect } from "vitest";
import { seqs } from "../expectations.ts";
import { auditEntry, commitTo, userKey } from "../facts.ts";
import type { BackendSpec } from "../spec.ts";

const user = userKey("u");

export const audit: BackendSpec = {
  subject: "audit",
  rules: {
    "is empty for an unknown user": async ({ backend }) => {
      expect(await backend.audit(user)).toEqual({ head: null, entries: [] });
    },

    "returns the whole trail of any length, oldest first": async ({ backend }) => {
      const trail = Array.from({ length: 2_500 }, (_, index) => auditEntry(index + 1));
      for (let at = 0; at < trail.length; at += 500) {
        await commitTo(backend, user, { audit: trail.slice(at, at + 500) });
      }
      const { head, entries } = await backend.audit(user);
      expect(entries).toEqual(trail);
      expect(head?.version).toBe(5);
    },

    "sorts entries by number and returns the head of the same version": async (scenario) => {
      const reader = await scenario.another();
      for (let seq = 1; seq <= 12; seq++) {
        await commitTo(scenario.backend, user, { audit: [auditEntry(seq)] });
        const { head, entries } = await reader.audit(user);
        expect(head?.version).toBe(seq);
        expect(seqs(entries)).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
      }
    },
  },
};
