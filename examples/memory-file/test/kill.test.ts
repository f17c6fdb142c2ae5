import { expect, test } from "vitest";
import { makeFolder } from "./support/folder.ts";
import { survivesKills } from "./support/kill-rounds.ts";

test("acknowledged messages exist once and in order after kill -9 at any moment", async () => {
  const { path, remove } = await makeFolder();
  expect.hasAssertions();
  try {
    await survivesKills(path, 2);
  } finally {
    await remove();
  }
});
