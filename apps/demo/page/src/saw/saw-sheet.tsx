import type { Fact } from "@jaf/server/client";
import { useEffect, useState } from "preact/hooks";
import { failureText, server } from "../models/server.ts";
import { type SeenTurn, seenTurn, turnOf } from "../models/turn-record.ts";
import { dayOf } from "../ui/dates.ts";
import { Sheet } from "../ui/sheet.tsx";
import { CallCard } from "./call-card.tsx";

interface SawSheetProps {
  readonly conversationId: string;
  readonly position: number;
  readonly onClose: () => void;
}

interface Seen {
  readonly turn: SeenTurn | undefined;
  /** Of the facts that went in, those that are still known. */
  readonly facts: readonly Fact[];
}

const TURNS = 100;
const FACTS = 1_000;

async function look(conversationId: string, position: number): Promise<Seen> {
  const [{ turns }, active, superseded] = await Promise.all([
    server.conversations.turns(conversationId, { limit: TURNS }),
    server.facts.list({ status: "active", limit: FACTS }),
    server.facts.list({ status: "superseded", limit: FACTS }),
  ]);
  const turn = turnOf(turns.map(seenTurn), position);
  const ids = new Set(turn?.facts ?? []);
  return { turn, facts: [...active.facts, ...superseded.facts].filter(({ id }) => ids.has(id)) };
}

/** What the model was given for a reply, and what it wasn't, and why. */
export function SawSheet({ conversationId, position, onClose }: SawSheetProps) {
  const [seen, setSeen] = useState<Seen>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    look(conversationId, position).then(setSeen, (thrown) => setFailure(failureText(thrown)));
  }, [conversationId, position]);
  return (
    <Sheet title="What the model saw" side="right" onClose={onClose}>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {seen === undefined && failure === undefined && <p class="quiet-text">Loading…</p>}
      {seen !== undefined && seen.turn === undefined && (
        <p class="quiet-text">Of this reply no record is kept: it is too old, or comes from elsewhere.</p>
      )}
      {seen?.turn !== undefined && <SeenContent turn={seen.turn} facts={seen.facts} />}
    </Sheet>
  );
}

function SeenContent({ turn, facts }: { readonly turn: SeenTurn; readonly facts: readonly Fact[] }) {
  const forgotten = turn.facts.length - facts.length;
  return (
    <div class="saw">
      <section>
        <h3>Instructions</h3>
        {turn.instructions.length === 0 && <p class="quiet-text">None are recorded.</p>}
        {turn.instructions.map((text) => (
          <pre key={text}>{text}</pre>
        ))}
      </section>
      <section>
        <h3>Facts about you</h3>
        {turn.facts.length === 0 && <p class="quiet-text">None went in.</p>}
        <ul class="plain">
          {facts.map((fact) => (
            <li key={fact.id}>
              “{fact.fact}”
              {fact.provenance.saidAt !== undefined && (
                <span class="quiet-text"> · {dayOf(fact.provenance.saidAt)}</span>
              )}
            </li>
          ))}
        </ul>
        {forgotten > 0 && <p class="quiet-text">Forgotten since: {forgotten}.</p>}
      </section>
      <section>
        <h3>{turn.calls.length === 1 ? "The model call" : `${turn.calls.length} model calls`}</h3>
        {turn.calls.map((call, index) => (
          <CallCard key={index} call={call} />
        ))}
      </section>
    </div>
  );
}
