import { offTheRecord } from "@jaf/server/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { conversation, drafts } from "../models/app-models.ts";
import { goTo } from "../models/route.ts";
import { useStore } from "../models/store.ts";
import { refocus, useOnline } from "../ui/hooks.ts";
import { Icon } from "../ui/icon.tsx";

interface ComposerProps {
  readonly running: boolean;
  readonly conversationId: string | undefined;
}

export function Composer({ running, conversationId }: ComposerProps) {
  const text = useStore(drafts.state)[conversationId ?? ""] ?? "";
  const online = useOnline();
  const [isPrivate, setPrivate] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    // The clicked button, e.g. to stop or to approve, is gone. Selections and touch users aren't disturbed.
    const selects = getSelection()?.isCollapsed === false;
    if (!selects && matchMedia("(hover: hover)").matches) refocus(area.current);
  }, [running]);
  // Until the conversation exists, its turn can't take more.
  const canSend = text.trim() !== "" && online && !(running && conversationId === undefined);
  const said = () => (isPrivate ? offTheRecord(text.trim()) : text.trim());
  const send = () => {
    if (!canSend) return;
    drafts.write(conversationId, "");
    void conversation.send(said());
  };
  const startInBackground = async () => {
    drafts.write(conversationId, "");
    if (await conversation.startInBackground(said())) goTo({ page: "chat", conversationId: undefined });
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="grow" data-text={`${text}\n`}>
        <textarea
          ref={area}
          rows={1}
          value={text}
          aria-label="Message"
          aria-describedby="composer-hint"
          placeholder={running ? "Say more while it works" : "Say something"}
          onInput={({ currentTarget }) => drafts.write(conversationId, currentTarget.value)}
          onKeyDown={(event) => {
            // Not the Enter that ends the composition of a word, e.g. in Japanese.
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
      </div>
      <span class="rounds">
        {running && (
          <button
            type="button"
            class="round"
            aria-label="Stop the reply"
            onClick={() => void conversation.stop()}
          >
            <Icon name="stop" />
          </button>
        )}
        {(!running || canSend) && (
          <button type="submit" class="round primary" aria-label="Send" disabled={!canSend}>
            <Icon name="send" />
          </button>
        )}
      </span>
      <div class="hint">
        <p id="composer-hint">
          {online
            ? "Enter sends, Shift+Enter makes a new line."
            : "You are offline. Your text is kept until you can send it."}
        </p>
        <button
          type="button"
          class="quiet"
          aria-pressed={isPrivate}
          title="While this is on, nothing that you say becomes a fact about you."
          onClick={() => setPrivate(!isPrivate)}
        >
          {isPrivate ? "Off the record: on" : "Off the record"}
        </button>
        {canSend && !running && (
          <button type="button" class="quiet" onClick={() => void startInBackground()}>
            Run in the background
          </button>
        )}
      </div>
    </form>
  );
}
