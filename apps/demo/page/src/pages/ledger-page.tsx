import type { LedgerReport } from "@jaf/server/client";
import { useEffect, useState } from "preact/hooks";
import { failureText, server } from "../models/server.ts";
import { dayOf } from "../ui/dates.ts";
import { ScrollArea } from "../ui/panels.tsx";

type Row = LedgerReport["rows"][number];

const GROUPS = {
  day: "Day",
  agent: "Agent",
  model: "Model",
  tool: "Tool",
  cacheMiss: "Cache misses",
} as const;

type Group = keyof typeof GROUPS;

const HINTS: Readonly<Record<Group, string>> = {
  day: "Days begin at midnight UTC.",
  agent: "The agent that called the model.",
  model: "The model that replied.",
  tool: "A call counts for the tools whose results it reads for the first time.",
  cacheMiss: "Why a call read less from the prompt cache than it could have.",
};

/** What the user's model calls used and cost this month. */
export function LedgerPage() {
  const [group, setGroup] = useState<Group>("day");
  const { rows, failure } = useLedger(group);
  return (
    <ScrollArea class="page" label="Use and cost">
      <p class="lead">What your model calls used this month. {HINTS[group]}</p>
      <fieldset class="choices">
        <legend class="hidden">Group by</legend>
        {(Object.keys(GROUPS) as Group[]).map((each) => (
          <button key={each} type="button" aria-pressed={each === group} onClick={() => setGroup(each)}>
            {GROUPS[each]}
          </button>
        ))}
      </fieldset>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {rows?.length === 0 && <p class="blank">Nothing yet. Say something in a conversation.</p>}
      {rows !== undefined && rows.length > 0 && <Sums group={group} rows={rows} />}
    </ScrollArea>
  );
}

function useLedger(group: Group) {
  const [report, setReport] = useState<{ readonly group: Group; readonly rows: readonly Row[] }>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    server.ledger.own({ by: [group] }, { signal: leaving.signal }).then(
      ({ rows }) => {
        setReport({ group, rows });
        setFailure(undefined);
      },
      (thrown: unknown) => {
        if (!leaving.signal.aborted) setFailure(failureText(thrown));
      },
    );
    return () => leaving.abort();
  }, [group]);
  return { rows: report?.group === group ? report.rows : undefined, failure };
}

interface Column {
  readonly title: string;
  readonly of: (row: Row) => number;
  readonly show: (value: number) => string;
}

const WHOLE = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const SHORT = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const COST = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 4 });

const shown = (value: number): string => (value < 10_000 ? WHOLE : SHORT).format(value);

const COLUMNS: readonly Column[] = [
  { title: "Calls", of: ({ calls }) => calls, show: shown },
  { title: "Input", of: ({ inputTokens }) => inputTokens, show: shown },
  { title: "Cached", of: ({ cachedInputTokens }) => cachedInputTokens, show: shown },
  { title: "Output", of: ({ outputTokens }) => outputTokens, show: shown },
  { title: "Cost", of: ({ cost }) => cost, show: COST.format },
];

function Sums({ group, rows }: { readonly group: Group; readonly rows: readonly Row[] }) {
  const ordered = group === "day" ? rows.toSorted((a, b) => (b.day ?? "").localeCompare(a.day ?? "")) : rows;
  const sumOf = ({ of }: Column) => rows.reduce((sum, row) => sum + of(row), 0);
  // Without prices, every cost is 0.
  const columns = COLUMNS.filter((column) => column.title !== "Cost" || sumOf(column) > 0);
  return (
    <section class="card sums">
      <table>
        <caption class="hidden">Tokens and cost by {GROUPS[group].toLowerCase()}</caption>
        <thead>
          <tr>
            <th scope="col">{GROUPS[group]}</th>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ordered.map((row) => (
            <tr key={String(row[group])}>
              <th scope="row">{nameOf(group, row)}</th>
              {columns.map(({ title, of, show }) => (
                <td key={title}>{show(of(row))}</td>
              ))}
            </tr>
          ))}
        </tbody>
        {rows.length > 1 && (
          <tfoot>
            <tr>
              <th scope="row">Together</th>
              {columns.map((column) => (
                <td key={column.title}>{column.show(sumOf(column))}</td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}

const CAUSES: Readonly<Record<string, string>> = {
  "first-call": "First call of a conversation",
  model: "Another model",
  instructions: "Changed instructions",
  tools: "Changed tools",
  messages: "Changed messages",
  expired: "Expired",
  unknown: "Unknown",
};

function nameOf(group: Group, row: Row): string {
  const name = row[group];
  if (group === "day") return dayOf(`${name}T12:00:00Z`);
  if (group === "cacheMiss") return name ? (CAUSES[name] ?? name) : "None, or not known";
  return name ?? "No tool result";
}
