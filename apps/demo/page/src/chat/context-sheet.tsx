import type { ContextManifest } from "@jaf/core";
import type { Fact } from "@jaf/server/client";
import { useEffect, useState } from "preact/hooks";
import { failureText, server } from "../models/server.ts";
import { type RecordedCall, type RecordedTurn, recordedTurn, turnOf } from "../models/turn-record.ts";
import { dayOf, durationOf } from "../ui/dates.ts";
import { Sheet } from "../ui/panels.tsx";

interface ContextSheetProps {
  readonly conversationId: string;
  readonly position: number;
  readonly onClose: () => void;
}

/** Shows what the model got for a reply, what was left out, and why. */
export function ContextSheet({ conversationId, position, onClose }: ContextSheetProps) {
  const [shown, setShown] = useState<TurnContext>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    loadTurnContext(conversationId, position).then(setShown, (thrown) => setFailure(failureText(thrown)));
  }, [conversationId, position]);
  return (
    <Sheet title="What the model saw" side="right" onClose={onClose}>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {shown === undefined && failure === undefined && <p class="quiet-text">Loading…</p>}
      {shown !== undefined && shown.turn === undefined && (
        <p class="quiet-text">There is no record of this reply: it is too old, or was imported.</p>
      )}
      {shown?.turn !== undefined && <RecordedTurnContent turn={shown.turn} facts={shown.facts} />}
    </Sheet>
  );
}

interface TurnContext {
  readonly turn: RecordedTurn | undefined;
  /** The injected facts that still exist. */
  readonly facts: readonly Fact[];
}

const TURNS = 100;
const FACTS = 1_000;

async function loadTurnContext(conversationId: string, position: number): Promise<TurnContext> {
  const [{ turns }, active, superseded] = await Promise.all([
    server.conversations.turns(conversationId, { limit: TURNS }),
    server.facts.list({ status: "active", limit: FACTS }),
    server.facts.list({ status: "superseded", limit: FACTS }),
  ]);
  const turn = turnOf(turns.map(recordedTurn), position);
  const ids = new Set(turn?.facts ?? []);
  return { turn, facts: [...active.facts, ...superseded.facts].filter(({ id }) => ids.has(id)) };
}

function RecordedTurnContent({
  turn,
  facts,
}: {
  readonly turn: RecordedTurn;
  readonly facts: readonly Fact[];
}) {
  const forgotten = turn.facts.length - facts.length;
  return (
    <div class="saw">
      <section>
        <h3>Instructions</h3>
        {turn.instructions.length === 0 && <p class="quiet-text">None recorded.</p>}
        {turn.instructions.map((text) => (
          <pre key={text}>{text}</pre>
        ))}
      </section>
      <section>
        <h3>Facts about you</h3>
        {turn.facts.length === 0 && <p class="quiet-text">None.</p>}
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

const NUMBER = new Intl.NumberFormat();

const REASONS: Readonly<Record<string, string>> = {
  "not-replayable": "a call without a result, a result without a call, or empty",
  "orphan-result": "a result without a call",
  "not-loaded": "outside the window",
  "not-stored": "no longer stored",
  "cut-turn": "the rest of a turn that was cut",
  function: "dropped by the application's window function",
};

function CallCard({ call }: { readonly call: RecordedCall }) {
  const { model, manifest, usage, cost, durationMs, status } = call;
  const cached = usage?.cachedInputTokens;
  return (
    <article class="card">
      <dl class="facts-of">
        <Row term="Model">
          {model ?? "the provider’s default"}
          {status === "error" && " (failed)"}
        </Row>
        {durationMs !== undefined && <Row term="Time">{durationOf(durationMs)}</Row>}
        {usage?.inputTokens !== undefined && (
          <Row term="Tokens in">
            {NUMBER.format(usage.inputTokens)}
            {cached !== undefined && `, ${NUMBER.format(cached)} of them from the cache`}
          </Row>
        )}
        {usage?.outputTokens !== undefined && (
          <Row term="Tokens out">{NUMBER.format(usage.outputTokens)}</Row>
        )}
        {usage === undefined && <Row term="Tokens">not reported by this model</Row>}
        {cost !== undefined && <Row term="Cost">{cost.toPrecision(2)}</Row>}
        {manifest !== undefined && <ManifestRows manifest={manifest} />}
      </dl>
      {manifest !== undefined && <Ranges manifest={manifest} />}
    </article>
  );
}

const Row = ({ term, children }: { readonly term: string; readonly children: preact.ComponentChildren }) => (
  <>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </>
);

function ManifestRows({ manifest }: { readonly manifest: ContextManifest }) {
  const { sent, messages, window: limit, summary, additions = [], compaction, estimatedTokens } = manifest;
  return (
    <>
      <Row term="Messages">
        {sent} of {messages} sent
        {estimatedTokens !== undefined && `, about ${NUMBER.format(estimatedTokens)} tokens`}
      </Row>
      <Row term="Window">
        {limit === undefined ? "none: the whole conversation" : `${limit.limit ?? ""} ${limit.type}`}
      </Row>
      <Row term="Summary">
        {summary === undefined
          ? "none"
          : `of the first ${summary.upTo + 1} messages, ${NUMBER.format(summary.characters)} characters`}
      </Row>
      {compaction !== undefined && <Row term="Summarising">{compaction.outcome}</Row>}
      {additions.map(({ name, characters, placement }) => (
        <Row key={name} term="Added">
          {name}: {NUMBER.format(characters)} characters{" "}
          {placement === "instructions" ? "after the instructions" : "before your message"}
        </Row>
      ))}
    </>
  );
}

/** The conversation as a bar. The length of each range is its number of messages. */
function Ranges({ manifest }: { readonly manifest: ContextManifest }) {
  const { ranges, messages } = manifest;
  const leftOut = ranges.filter(({ fate }) => fate !== "sent");
  return (
    <>
      <div class="range-bar" aria-hidden="true">
        {ranges.map(({ from, to, fate }) => (
          <span key={from} class={fate} style={{ flexGrow: (to - from + 1) / Math.max(1, messages) }} />
        ))}
      </div>
      {leftOut.length === 0 ? (
        <p class="quiet-text">Nothing was left out.</p>
      ) : (
        <ul class="plain">
          {leftOut.map(({ from, to, fate, reason }) => (
            <li key={from}>
              {from === to ? `Message ${from + 1}` : `Messages ${from + 1} to ${to + 1}`}: {fate}
              {reason !== undefined && `, ${REASONS[reason] ?? reason}`}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
