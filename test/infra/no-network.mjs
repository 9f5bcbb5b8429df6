/** Loaded before the program: whoever wants to connect learns that there is no network. */
import { Socket } from 'node:net';

Socket.prototype.connect = () => {
  throw new Error('this program may not use the network');
};
