import { isRunning } from "@jaf/server/client";
import { useState } from "preact/hooks";
import { conversation } from "../app-models.ts";
import { SawSheet } from "../saw/saw-sheet.tsx";
import { Icon } from "../ui/icon.tsx";
import { useStore } from "../ui/store.ts";
import { Composer } from "./composer.tsx";
import { Transcript } from "./transcript.tsx";
import { Welcome } from "./welcome.tsx";

export function ChatPage() {
  const state = useStore(conversation.state);
  const { status, conversationId, turn, failure, said, messages } = state;
  const [sawAt, setSawAt] = useState<number>();
  const running = turn !== undefined && isRunning(turn);
  const isBlank = messages.length === 0 && said === undefined && turn === undefined;

  return (
    <div class="chat">
      <div class="scroll" id="scroll">
        {status === "missing" && (
          <p class="blank">There is no such conversation. It may have been deleted.</p>
        )}
        {status === "loading" && <p class="blank quiet-text">Loading…</p>}
        {(status === "new" || status === "ready") && isBlank && <Welcome />}
        {!isBlank && <Transcript state={state} onSaw={setSawAt} />}
      </div>
      <div class="bottom">
        {failure !== undefined && (
          <p class="failure" role="alert">
            <span>{failure}</span>
            <button type="button" class="quiet square" aria-label="Dismiss" onClick={conversation.dismiss}>
              <Icon name="close" />
            </button>
          </p>
        )}
        {status !== "missing" && <Composer running={running} unsent={state.unsent} />}
      </div>
      {sawAt !== undefined && conversationId !== undefined && (
        <SawSheet conversationId={conversationId} position={sawAt} onClose={() => setSawAt(undefined)} />
      )}
    </div>
  );
}
