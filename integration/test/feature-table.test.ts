import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { WAYS } from "../../test/models/run.ts";
import { expectRecorded, replay } from "../../test/recordings/replay.ts";
import { allRecordings } from "./support/recordings/all.ts";
import { featureTable, type Observed, observe } from "./support/recordings/feature-table.ts";

const document = new URL("../../docs/models.md", import.meta.url).pathname;
const SECTION = /(<!-- features -->\n)[\s\S]*(<!-- \/features -->)/;

// `pnpm test feature-table -u` writes the table.
it("the table of features in docs/models.md is what the replays show", async () => {
  const observed: Observed[] = [];
  for (const recorded of allRecordings) {
    const { api, recording } = recorded;
    // A second turn also where the recording doesn't say what goes back.
    const asked = { ...recording, sentBack: recording.sentBack ?? [] };
    for (const replayed of await Promise.all(WAYS.map((way) => replay(api, asked, { way })))) {
      expectRecorded(api, recording, replayed);
      observed.push(observe(recorded, replayed));
    }
  }
  const before = readFileSync(document, "utf8");
  expect(before).toMatch(SECTION);
  const after = before.replace(SECTION, `$1\n${featureTable(observed)}\n\n$2`);
  await expect(after).toMatchFileSnapshot(document);
});
