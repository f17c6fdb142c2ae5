/** A streamed answer of these pieces; `broken`: the connection then breaks in place of ending. */
export const answering = (pieces: readonly Uint8Array[], broken = false): typeof fetch => {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (broken) controller.error(new TypeError("terminated", { cause: { code: "UND_ERR_SOCKET" } }));
      else controller.close();
    },
  });
  return async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
};
