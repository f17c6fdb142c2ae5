import { applyRemedies, examineUserMemory, type MemoryFinding, type MemoryReport } from "@jaf/user-memory";
import { Failure } from "../failure.ts";
import { lineOf } from "../statements.ts";
import type { Stores } from "../stores.ts";

interface Health {
  readonly userId: string;
  /** Ids or kinds of findings. Empty: nothing is changed. */
  readonly apply: readonly string[];
  readonly asOf?: Date;
}

/** Prints what is wrong with the facts and what can be done about it, or applies chosen remedies. */
export async function runHealth({ memory }: Stores, { userId, apply, asOf }: Health): Promise<void> {
  // Without the provider: the facts may come from conversations that are stored elsewhere.
  const report = await examineUserMemory(memory, userId, asOf === undefined ? {} : { asOf });
  if (apply.length === 0) return print(report);
  const chosen = report.findings.filter(({ id, kind }) => apply.includes(id) || apply.includes(kind));
  if (chosen.length === 0) throw new Failure("There is no such finding. List them: jaf-mcp-memory health");
  for (const { finding, outcome } of await applyRemedies(memory, userId, chosen))
    console.log(`${outcome}  ${describeRemedy(finding)}`);
}

function print({ stored, inUse, kinds, findings, junkRate }: MemoryReport): void {
  const counts = Object.entries(kinds).flatMap(([kind, count]) => (count > 0 ? [`${kind} ${count}`] : []));
  console.log(`Stored facts: ${stored}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}`);
  console.log(`In use: ${inUse}. Remedies would take ${(junkRate * 100).toFixed(1)}% of them out of use.`);
  for (const finding of findings) {
    console.log(`\n${finding.id}  ${finding.kind}: ${finding.reason}`);
    for (const { fact } of finding.facts) console.log(`  - ${lineOf(fact)}`);
    console.log(`  ${describeRemedy(finding)}`);
  }
  if (findings.length === 0) console.error("Nothing is wrong.");
  else
    console.error(
      "\nNothing was changed. Apply a remedy with --apply <id>, or all of a kind with --apply <kind>.",
    );
}

function describeRemedy({ facts, remedy }: MemoryFinding): string {
  switch (remedy.action) {
    case "merge":
    case "supersede":
      return `Keep: ${textOf(facts, remedy.keep)}`;
    case "end":
      return `End on ${remedy.at.toISOString().slice(0, 10)}: ${textOf(facts, remedy.end[0])}`;
    case "forget":
      return `Forget for good: ${textOf(facts, remedy.forget[0])}`;
    case "ask":
      return `Ask: ${remedy.question}`;
  }
}

const textOf = (facts: MemoryFinding["facts"], id: string | undefined): string =>
  lineOf(facts.find((fact) => fact.id === id)?.fact ?? "");
