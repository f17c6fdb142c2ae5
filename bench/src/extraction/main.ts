import { existsSync } from "node:fs";
import { readLocomo } from "../recall/locomo.ts";
import { type Extractor, perfect, sloppy, withoutEvidence } from "./extractors.ts";
import { measureExtraction } from "./measure.ts";

const DATA = new URL("../../../../shared/data/locomo-dev-3.json", import.meta.url).pathname;

const EXTRACTORS: readonly (readonly [string, Extractor | undefined])[] = [
  ["none: verbatim", undefined],
  ["perfect, with evidence", perfect],
  ["perfect, without evidence", withoutEvidence],
  ["honest but sloppy", sloppy],
];

const [path = DATA] = process.argv.slice(2).filter((arg) => arg !== "--");
if (!existsSync(path)) {
  console.log("There are no conversations here; give a file in the format of snap-research/locomo.");
} else {
  const conversations = readLocomo(path);
  console.log(
    "| extractor | proposed | active | items | misquoted | R@1 | R@5 | R@10 | apart: R@1 | R@5 | R@10 |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const [name, extractor] of EXTRACTORS) {
    const together = await measureExtraction(conversations, { extractor, alone: false });
    const apart = await measureExtraction(conversations, { extractor, alone: true });
    const { proposed, active, items, misquoted } = together;
    const recall = [together, apart].flatMap(({ recallAt }) => [recallAt[1], recallAt[5], recallAt[10]]);
    const cells = [name, proposed, `${active.toFixed(1)} %`, items, misquoted];
    console.log(`| ${[...cells, ...recall.map((value) => value.toFixed(1))].join(" | ")} |`);
  }
}
