// deno-lint-ignore-file
import { SocketTransport } from "../src/http/socket_transport.ts";
import { RequestSlot } from "../src/load/request_slot.ts";
import { RecordBlockBuilder } from "../src/record/record_block.ts";
import { chat } from "../src/endpoint/chat.ts";
const [port,C,N,tok]=((globalThis as any).ARGS??Deno.args.map(Number)) as number[];
const nowNs=()=>Math.round(performance.now()*1e6);
const tr=new SocketTransport({reuse:"pooled",trust:{caCerts:[],systemCerts:[]},nowNs});
const origin={protocol:"http:",hostname:"127.0.0.1",port,addresses:["127.0.0.1"],host:`127.0.0.1:${port}`};
await tr.prepare(origin,C,1000);
const body=[new TextEncoder().encode(JSON.stringify({model:"m",messages:[{role:"user",content:"hello there general"}],stream:true,max_completion_tokens:tok,min_tokens:tok,stream_options:{include_usage:true}}))];
let left=N, done=0; const records=new RecordBlockBuilder(); let fin:()=>void; const end=new Promise<void>(r=>fin=r);
const ctx={endpointType:chat,transport:tr,records,keepRaw:false,redact:(t:string)=>t,nowNs,onSent(){},onEnded(slot:any,k:any){ if(k)console.log(k); done++; if(records.count>=32)records.take(); if(left-->0)go(slot); else if(done===N)fin(); }};
let i=0; const go=(s:any)=>s.start({index:i++,phase:1,worker:0,entry:0,target:0,intendedNs:0,claimedNs:0,requestId:crypto.randomUUID()},{origin,method:"POST",path:"/v1/chat/completions",headerLines:"Content-Type: application/json\r\n",body});
left-=C; for(let k=0;k<C;k++)go(new RequestSlot(ctx as any));
await end; tr.close(); console.log("done",done, JSON.stringify(Deno.memoryUsage()));
