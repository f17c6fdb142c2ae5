import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { WAYS } from "../../test/models/run.ts";
import { replay } from "../../test/recordings/replay.ts";
import { allRecordings } from "./support/recordings/all.ts";
import { featureTable, observe } from "./support/recordings/feature-table.ts";

const document = new URL("../../docs/models.md", import.meta.url).pathname;
const SECTION = /(<!-- features -->\n)[\s\S]*(<!-- \/features -->)/;

// `pnpm test feature-table -u` writes the table.
it("the table of features in docs/models.md is what the replays show", async () => {
  const observed = await Promise.all(
    (await allRecordings()).flatMap((recorded) =>
      WAYS.map(async (way) => observe(recorded, await replay(recorded.api, recorded.recording, { way }))),
    ),
  );
  const before = readFileSync(document, "utf8");
  expect(before).toMatch(SECTION);
  const after = before.replace(SECTION, `$1\n${featureTable(observed)}\n\n$2`);
  await expect(after).toMatchFileSnapshot(document);
});
