import { useEffect, useRef, useState } from "preact/hooks";
import { conversation } from "../models/app-models.ts";
import { refocusLater } from "../ui/hooks.ts";
import { Icon } from "../ui/icon.tsx";
import { contentOf } from "./content.ts";
import type { Entry } from "./entries.ts";

interface UserMessageProps {
  readonly entry: Extract<Entry, { readonly type: "message" }>;
  readonly canEdit: boolean;
}

export function UserMessage({ entry, canEdit }: UserMessageProps) {
  const { position, message } = entry;
  const { text, images } = contentOf(message);
  const [editing, setEditing] = useState(false);
  const pencil = useRef<HTMLButtonElement>(null);
  const leave = () => {
    setEditing(false);
    refocusLater(() => pencil.current);
  };
  if (editing && position !== undefined)
    return (
      <EditForm
        text={text}
        onDone={(changed) => {
          leave();
          if (changed !== undefined) void conversation.edit(position, changed);
        }}
      />
    );
  return (
    <article class="message user" aria-label="You">
      <div class="bubble">
        {text}
        {images.map(({ source, name }) => (
          <img key={source} src={source} alt={name} />
        ))}
      </div>
      {canEdit && (
        <div class="message-actions">
          <button
            ref={pencil}
            type="button"
            class="quiet square"
            aria-label="Edit and send again"
            title="Edit"
            onClick={() => setEditing(true)}
          >
            <Icon name="pencil" />
          </button>
        </div>
      )}
    </article>
  );
}

/** What the user said while a turn runs, until the turn takes it. */
export const WaitingMessage = ({ text }: { readonly text: string }) => (
  <article class="message user is-waiting" aria-label="You, waiting">
    <div class="bubble">{text}</div>
    <p class="marker">Waits until the assistant’s next step.</p>
  </article>
);

interface EditFormProps {
  readonly text: string;
  /** `undefined` leaves the text unchanged. */
  readonly onDone: (text: string | undefined) => void;
}

function EditForm({ text, onDone }: EditFormProps) {
  const [changed, setChanged] = useState(text);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const done = () => onDone(changed.trim() === "" ? undefined : changed.trim());
  return (
    <form
      class="message user edit"
      onSubmit={(event) => {
        event.preventDefault();
        done();
      }}
    >
      <div class="grow" data-text={`${changed}\n`}>
        <textarea
          ref={area}
          rows={1}
          aria-label="Edited message"
          value={changed}
          onInput={({ currentTarget }) => setChanged(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") onDone(undefined);
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            done();
          }}
        />
      </div>
      <div class="form-actions">
        <span class="quiet-text">
          Everything after this message is replaced. Facts learned from it are kept, and the effects of tools
          aren’t undone.
        </span>
        <button type="button" class="quiet" onClick={() => onDone(undefined)}>
          Cancel
        </button>
        <button type="submit" class="primary">
          Send
        </button>
      </div>
    </form>
  );
}
