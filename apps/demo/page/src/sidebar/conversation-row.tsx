import type { ConversationSummary } from "@jaf/server/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { list } from "../models/app-models.ts";
import { conversationHref, goTo } from "../models/route.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { briefly } from "../ui/dates.ts";
import { refocusLater, useAction } from "../ui/hooks.ts";
import { Icon } from "../ui/icon.tsx";

interface ConversationRowProps {
  readonly conversation: ConversationSummary;
  readonly isOpen: boolean;
}

export function ConversationRow({ conversation, isOpen }: ConversationRowProps) {
  const { conversationId, lastActivity, turn } = conversation;
  const title = conversation.title ?? "Untitled";
  const [renaming, setRenaming] = useState(false);
  const { failure, act } = useAction();
  const pencil = useRef<HTMLButtonElement>(null);
  const remove = () =>
    act(async () => {
      await list.remove(conversationId);
      if (isOpen) goTo({ page: "chat", conversationId: undefined });
      refocusLater(() => document.getElementById("search"));
    });
  if (renaming)
    return (
      <li class="conversation">
        <RenameForm
          title={title}
          onDone={(changed) => {
            setRenaming(false);
            refocusLater(() => pencil.current);
            if (changed !== undefined) act(() => list.rename(conversationId, changed));
          }}
        />
      </li>
    );
  return (
    <li class={`conversation${isOpen ? " is-open" : ""}`}>
      <a href={conversationHref(conversationId)} aria-current={isOpen ? "page" : undefined}>
        <span class="title">{title}</span>
        <span class="when">
          {turn?.state === "running" ? <span class="running">replying…</span> : briefly(lastActivity)}
        </span>
      </a>
      <span class="row-actions">
        {turn?.state === "running" && (
          <button
            type="button"
            class="quiet square"
            aria-label={`Stop “${title}”`}
            title="Stop"
            onClick={() => act(() => list.stop(conversationId))}
          >
            <Icon name="stop" />
          </button>
        )}
        <button
          ref={pencil}
          type="button"
          class="quiet square"
          aria-label={`Rename “${title}”`}
          title="Rename"
          onClick={() => setRenaming(true)}
        >
          <Icon name="pencil" />
        </button>
        <ConfirmButton icon="trash" label={`Delete “${title}”`} question="Delete?" onConfirm={remove} />
      </span>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
    </li>
  );
}

interface RenameFormProps {
  readonly title: string;
  /** `undefined` leaves the title unchanged. */
  readonly onDone: (title: string | undefined) => void;
}

function RenameForm({ title, onDone }: RenameFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => input.current?.select(), []);
  const leave = (changed: string | undefined) => {
    if (isDone.current) return; // A removed element loses the focus, too.
    isDone.current = true;
    onDone(changed);
  };
  const save = () => {
    const changed = input.current?.value.trim() ?? "";
    leave(changed === "" || changed === title ? undefined : changed);
  };
  return (
    <form
      class="rename"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) save();
      }}
    >
      <input
        ref={input}
        aria-label="New title"
        defaultValue={title}
        maxLength={200}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          event.preventDefault();
          leave(undefined);
        }}
      />
      <button type="submit" class="quiet square" aria-label="Save the title">
        <Icon name="check" />
      </button>
    </form>
  );
}
