self.onmessage=async(e:any)=>{(globalThis as any).ARGS=e.data; await import("./_prof.ts"); (self as any).postMessage("done");};
