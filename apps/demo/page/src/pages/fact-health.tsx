import type { FactFinding, FactReport } from "@jaf/server/client";
import { useState } from "preact/hooks";
import { server } from "../models/server.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { dayOf } from "../ui/dates.ts";

interface FactHealthProps {
  readonly busy: boolean;
  readonly onChange: (action: () => Promise<unknown>) => void;
}

/** What is wrong with the facts, with a button for each remedy. Looked for when the user asks. */
export function FactHealth({ busy, onChange }: FactHealthProps) {
  const [report, setReport] = useState<FactReport>();
  const look = async () => setReport(await server.facts.examine());
  const change = (action: () => Promise<unknown>) =>
    onChange(async () => {
      await action();
      await look();
    });
  return (
    <section class="fact-list fact-health" aria-label="Check-up of the facts">
      <header>
        <h2>Check-up {report !== undefined && <span class="count">{report.findings.length}</span>}</h2>
        <button type="button" class="quiet" disabled={busy} onClick={() => onChange(look)}>
          {report === undefined ? "Check my facts" : "Check again"}
        </button>
      </header>
      {report !== undefined && <p class="quiet-text">{summaryOf(report)}</p>}
      {report !== undefined && (
        <ul>
          {report.findings.slice(0, MOST_SHOWN).map((finding) => (
            <Finding key={finding.id} finding={finding} busy={busy} onChange={change} />
          ))}
        </ul>
      )}
    </section>
  );
}

const MOST_SHOWN = 50;

function summaryOf({ inUse, findings, junkRate }: FactReport): string {
  if (findings.length === 0) return `Nothing is wrong with the ${inUse} facts in use.`;
  const share = `The remedies below would take ${Math.round(junkRate * 100)}% of the ${inUse} facts out of use.`;
  return `${share} Nothing is changed until you choose one.`;
}

const TITLES: Readonly<Record<FactFinding["kind"], string>> = {
  duplicate: "Said twice",
  contradiction: "Contradiction",
  stale: "Over",
  junk: "Says nothing",
  unsupported: "Without a source",
  unused: "Never used",
};

interface FindingProps extends FactHealthProps {
  readonly finding: FactFinding;
}

function Finding({ finding, busy, onChange }: FindingProps) {
  const { id, kind, facts, reason, remedy } = finding;
  const apply = () => onChange(() => server.facts.applyRemedies({ findings: [id] }));
  const kept = "keep" in remedy ? remedy.keep : undefined;
  return (
    <li class="fact">
      <p class="why">
        <strong>{TITLES[kind]}.</strong> {reason}
      </p>
      {facts.map((fact) => (
        <div key={fact.id} class="finding-fact">
          <blockquote>{fact.fact}</blockquote>
          <span class="quiet-text">
            {fact.id === kept ? "Kept" : dayOf(fact.provenance.saidAt ?? fact.createdAt)}
          </span>
          {remedy.action === "ask" && (
            <ConfirmButton
              label="Forget"
              question="Forget it permanently?"
              onConfirm={() => onChange(() => server.facts.forget(fact.id))}
            />
          )}
        </div>
      ))}
      <footer>
        {remedy.action === "ask" && <span>{remedy.question}</span>}
        <span class="fact-actions">
          {remedy.action === "forget" && (
            <ConfirmButton label="Forget" question="Forget it permanently?" onConfirm={apply} />
          )}
          {(kept !== undefined || remedy.action === "end") && (
            <button type="button" class="primary" disabled={busy} onClick={apply}>
              {remedy.action === "end" ? "It’s over" : "Use only the kept one"}
            </button>
          )}
        </span>
      </footer>
    </li>
  );
}
