select i.title, count(*) as times
from loans l, items i
where i.item_id = l.item_id
  and l.branch = {{ branch }}
  and i.kind in ('book', 'magazine')
  and l.out_on between {{ period.start }} and {{ period.end }}
group by i.title
order by times desc, i.title
limit {{ n }}
