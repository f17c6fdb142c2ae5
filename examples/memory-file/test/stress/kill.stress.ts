import { expect, test } from "vitest";
import { makeFolder } from "../support/folder.ts";
import { survivesKills } from "../support/kill-rounds.ts";

test("acknowledged messages exist once and in order after 60 times kill -9", async () => {
  const { path, remove } = await makeFolder();
  expect.hasAssertions();
  try {
    await survivesKills(path, 60);
  } finally {
    await remove();
  }
});
