select kind, count(*) as items
from items
where branch = {{ branch }}
  and withdrawn_on is null
  and acquired_on between {{ period.start }} and {{ period.end }}
group by kind
order by kind
