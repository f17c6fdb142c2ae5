import { access, constants } from "node:fs/promises";
import { Failure } from "../failure.ts";
import { type ImportCounts, importOfficialFile } from "../import/import.ts";
import type { Stores } from "../stores.ts";

interface Import {
  readonly userId: string;
  readonly file: string;
  readonly dryRun: boolean;
  readonly vouched: boolean;
}

const PROGRESS_EVERY_MS = 2_000;

/** Imports a file, and prints what became of it. Progress and skipped lines go to stderr. */
export async function runImport({ memory }: Stores, { file, ...given }: Import): Promise<void> {
  await access(file, constants.R_OK).catch(({ code }: NodeJS.ErrnoException) => {
    throw new Failure(`${file} can't be read (${code}). Check the path and the rights.`);
  });
  let shownAt = Date.now();
  const counts = await importOfficialFile({
    ...{ memory, file, ...given },
    onSkipped: (line, reason) => console.error(`${file}:${line}: ${reason}`),
    onProgress: ({ facts }) => {
      if (Date.now() - shownAt < PROGRESS_EVERY_MS) return;
      shownAt = Date.now();
      console.error(`${facts} facts so far …`);
    },
  });
  console.log(summaryOf(counts, given));
}

function summaryOf(counts: ImportCounts, { dryRun, vouched, userId }: Omit<Import, "file">): string {
  const { entities, relations, facts, active, waiting, brokenLines, skipped } = counts;
  return [
    `Read: entities ${entities}, relations ${relations}; facts about ${userId}: ${facts}.`,
    `${dryRun ? "In use then" : "In use"}: ${active}. ${dryRun ? "Waiting for review then" : "Waiting for review"}: ${waiting}. Left out: ${skipped}. Lines that can't be read: ${brokenLines}.`,
    ...(dryRun ? ["Nothing was written."] : []),
    ...(vouched || dryRun || waiting === 0
      ? []
      : ["A model wrote them, so they aren't used before you confirm them: jaf-mcp-memory review"]),
  ].join("\n");
}
