// The connection to the server; it is made again after it was lost.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

export class Connection {
  /**
   * @param {object} handlers
   * @param {(message: any) => void} handlers.message
   * @param {(picture: Blob) => void} handlers.picture
   * @param {() => void} handlers.open called at every connection
   * @param {(seconds: number) => void} handlers.lost called with the seconds to the next attempt
   */
  constructor(handlers) {
    this.handlers = handlers;
    this.wait = FIRST_WAIT;
    this.closed = true;
    /** @type {WebSocket | null} */
    this.socket = null;
  }

  open() {
    this.closed = false;
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live/socket`);
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.handlers.open();
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.handlers.message(JSON.parse(data));
      else this.handlers.picture(data);
    };
    socket.onclose = () => {
      if (this.closed || this.socket !== socket) return;
      this.handlers.lost(this.wait / 1000);
      setTimeout(() => !this.closed && this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    };
    this.socket = socket;
  }

  /** @param {Record<string, unknown>} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  close() {
    this.closed = true;
    this.socket?.close();
  }
}
