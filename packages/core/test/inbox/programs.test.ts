import { expect, it } from "vitest";
import { playPrograms } from "../support/inbox-programs.ts";

// `pnpm test:stress inbox-programs` plays more of them.
it("loses, repeats and reorders nothing that is said, whatever crashes", async () => {
  expect(await playPrograms({ seed: 37, count: 200 })).toEqual([]);
}, 60_000);
