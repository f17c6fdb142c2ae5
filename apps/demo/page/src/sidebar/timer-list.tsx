import type { ConversationTimer } from "@jaf/server/client";
import { list } from "../models/app-models.ts";
import { conversationHref } from "../models/route.ts";
import { useStore } from "../models/store.ts";
import { exactly } from "../ui/dates.ts";
import { useAction } from "../ui/hooks.ts";
import { Icon } from "../ui/icon.tsx";

/** The user's reminders and schedules, if there are any. */
export function TimerList() {
  const { timers } = useStore(list.state);
  const { failure, act } = useAction();
  if (timers.length === 0) return null;
  return (
    <section class="timer-list" aria-label="Reminders">
      <h2>Reminders</h2>
      <ul>
        {timers.map((timer) => (
          <TimerRow
            key={`${timer.conversationId} ${timer.timerId}`}
            timer={timer}
            onCancel={() => act(() => list.cancelTimer(timer))}
          />
        ))}
      </ul>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
    </section>
  );
}

interface TimerRowProps {
  readonly timer: ConversationTimer;
  readonly onCancel: () => void;
}

const TimerRow = ({ timer: { conversationId, message, at, cron }, onCancel }: TimerRowProps) => (
  <li>
    <a href={conversationHref(conversationId)} title={message}>
      <span class="title">{message}</span>
      <span class="when">
        {cron === undefined ? "" : "again and again, next "}
        {exactly(at)}
      </span>
    </a>
    <button
      type="button"
      class="quiet square"
      aria-label={`Cancel “${message}”`}
      title="Cancel"
      onClick={onCancel}
    >
      <Icon name="close" />
    </button>
  </li>
);
