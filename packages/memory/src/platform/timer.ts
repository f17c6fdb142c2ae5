/** Lets a process end although the timer is set, where timers keep one alive: those of the web are numbers. */
export function unref<Timer>(timer: Timer): Timer {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
    timer.unref();
  return timer;
}
