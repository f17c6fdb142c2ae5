import type { ContextManifest } from "@jaf/core";
import type { SeenCall } from "../models/turn-record.ts";
import { durationOf } from "../ui/dates.ts";

const NUMBER = new Intl.NumberFormat();

const REASONS: Readonly<Record<string, string>> = {
  "not-replayable": "a call without a result, a result without a call, or empty",
  "orphan-result": "a result without a call",
  "not-loaded": "outside of the window",
  "not-stored": "no longer stored",
  "cut-turn": "the rest of a turn that is gone",
  function: "by the application's window",
};

export function CallCard({ call }: { readonly call: SeenCall }) {
  const { model, manifest, usage, cost, durationMs, status } = call;
  const cached = usage?.cachedInputTokens;
  return (
    <article class="card">
      <dl class="facts-of">
        <Row term="Model">
          {model ?? "the provider’s own choice"}
          {status === "error" && " (failed)"}
        </Row>
        {durationMs !== undefined && <Row term="Time">{durationOf(durationMs)}</Row>}
        {usage?.inputTokens !== undefined && (
          <Row term="Tokens in">
            {NUMBER.format(usage.inputTokens)}
            {cached !== undefined && `, of which ${NUMBER.format(cached)} from the cache`}
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
          {placement === "instructions" ? "behind the instructions" : "before your message"}
        </Row>
      ))}
    </>
  );
}

/** The conversation as a bar: each stretch as long as it has messages. */
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
