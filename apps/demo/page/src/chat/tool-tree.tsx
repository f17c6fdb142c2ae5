import type { ToolItem, TurnItem, WaitingCall } from "@jaf/server/client";
import { ToolCard } from "./tool-card.tsx";

interface ToolTreeProps {
  readonly tool: ToolItem;
  readonly running: boolean;
  /** Whether the turn was stopped before the call had a result. */
  readonly stopped: boolean;
  /** The calls of the conversation that wait. */
  readonly waiting: readonly WaitingCall[];
}

/** A tool call, and under it what the agent does that the tool runs. */
export function ToolTree({ tool, running, stopped, waiting }: ToolTreeProps) {
  const { toolCallId, result } = tool;
  const waitsFor = tool.waitsFor ?? waiting.find((call) => call.toolCallId === toolCallId);
  const within = waiting.filter((call) => call.toolCallId.startsWith(`${toolCallId}/`));
  const items = result === undefined ? withWaiting(tool.inner ?? [], within) : (tool.inner ?? []);
  return (
    <>
      <ToolCard
        tool={tool}
        running={running}
        stopped={stopped}
        waitsFor={waitsFor}
        innerAsks={tool.state === "waiting" && items.length > 0}
      />
      {items.length > 0 && (
        <section class="inner" aria-label={`The agent ${tool.toolName}`}>
          {items.map((item, index) => (
            <InnerItem key={`${item.type}-${index}`} item={item} {...{ running, stopped, waiting }} />
          ))}
        </section>
      )}
    </>
  );
}

function InnerItem({ item, ...shared }: Omit<ToolTreeProps, "tool"> & { readonly item: TurnItem }) {
  if (item.type === "tool") return <ToolTree tool={item} {...shared} />;
  if (item.type === "handoff") return <p class="marker">Handed off to {item.to}</p>;
  const { content } = item.message;
  return typeof content === "string" && content !== "" ? <p>{content}</p> : null;
}

/** Adds the calls that wait and aren't among the items, e.g. after the page was loaded again. */
function withWaiting(items: readonly TurnItem[], waiting: readonly WaitingCall[]): readonly TurnItem[] {
  const isShown = ({ toolCallId: id }: WaitingCall) =>
    items.some(
      (item) => item.type === "tool" && (item.toolCallId === id || id.startsWith(`${item.toolCallId}/`)),
    );
  const added = waiting
    .filter((call) => !isShown(call))
    .map(({ toolCallId, toolName, args }): ToolItem => {
      return { type: "tool", toolCallId, toolName, args, state: "waiting", starts: 0 };
    });
  return [...items, ...added];
}
