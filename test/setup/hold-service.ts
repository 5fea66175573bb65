import { echoService } from './echo-service.js';

/** A process of its own that starts the service and stays. Usage: hold-service HOME attached|detached; prints the service's number. */
const [home = '', how] = process.argv.slice(2);
const { pid } = await echoService(home, { detached: how === 'detached' });
console.log(pid);
process.stdin.resume();
