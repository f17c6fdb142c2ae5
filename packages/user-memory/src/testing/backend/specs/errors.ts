import { expect } from "vitest";
import type { BackendSpec } from "../spec.ts";

export const errors: BackendSpec = {
  subject: "errors",
  rules: {
    "name the operation and the backend, without stored content": async ({ backend }) => {
      const error = backend.toMemoryError("remember", new Error("something failed"));
      expect(error).toMatchObject({
        ...{
          operation: "remember",
          provider: expect.stringMatching(/./),
          message: expect.stringMatching(/./),
        },
        ...{ _tag: expect.stringMatching(/^Memory\w+Error$/), retryable: expect.any(Boolean) },
      });
      for (const odd of [undefined, null, "text", 0, {}]) {
        expect(backend.toMemoryError("recall", odd).operation).toBe("recall");
      }
    },

    "need a backend with a name": async ({ backend }) => {
      expect(backend.name).toMatch(/./);
    },
  },
};
